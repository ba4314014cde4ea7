import type { OwnWords } from "./en.ts";

export const nl: OwnWords = {
  pay: { named: "{amount} betalen aan {merchant}", unnamed: "{amount} betalen" },
  due: { named: "Te betalen {amount} aan {merchant}", unnamed: "Te betalen {amount}" },
  payButton: "{amount} betalen",
  paying: "Bezig met betalen…",
  errorTitle: "Fout: {title}",
  description: "Omschrijving",
  reference: "Referentie",
  promise: {
    named: "{merchant} ziet je kaartnummer niet.",
    unnamed: "De verkoper ziet je kaartnummer niet.",
  },

  cardDetails: "Kaartgegevens",
  cardNumber: "Kaartnummer",
  expiryDate: "Vervaldatum",
  expiryHint: "MM / JJ",
  securityCode: "CVC-code",
  securityCodeHint: "3 of 4 cijfers",
  nameOnCard: "Naam op de kaart",
  optional: "(optioneel)",
  mistakes: {
    number_missing: "Vul het kaartnummer in.",
    number_not_digits: "Vul het kaartnummer alleen in cijfers in.",
    number_length: "Vul het hele kaartnummer in. Het heeft 12 tot 19 cijfers.",
    number_wrong: "Vul een geldig kaartnummer in.",
    expiry_missing: "Vul de maand en het jaar op de kaart in, bijvoorbeeld 09/30.",
    expiry_unreadable: "Vul maand en jaar in zoals ze op de kaart staan, bijvoorbeeld 09/30.",
    expiry_month: "Vul een maand van 01 tot en met 12 in.",
    expired: "Deze kaart is verlopen. Gebruik een andere kaart.",
    cvc_back: "Vul de 3 cijfers op de achterkant van de kaart in.",
    cvc_front: "Vul de 4 cijfers op de voorkant van de kaart in.",
    name_length: "Vul een naam van hoogstens 200 tekens in.",
    name_wrong: "Vul de naam in zoals die op de kaart staat.",
  },
  checkFields: "Controleer de gemarkeerde velden.",
  bankBusy: ["De bank is op dit moment niet bereikbaar.", "Probeer het over een minuut opnieuw."],
  enterAgain: "Vul het kaartnummer en de CVC-code opnieuw in. Deze gegevens worden niet bewaard.",

  cancel: "Betaling annuleren",
  canceling: "Bezig met annuleren…",

  amountTo: { named: "{amount} aan {merchant}", unnamed: "{amount}" },
  outcomes: {
    processing: {
      heading: "Je betaling wordt verwerkt",
      title: "Betaling van {amount} wordt verwerkt",
    },
    at_bank: {
      heading: "Bevestig de betaling bij je bank",
      title: "Bevestig bij je bank: {amount}",
    },
    returned: { heading: "Wachten op antwoord van je bank", title: "Wachten op je bank: {amount}" },
    overdue: {
      heading: "Je bank heeft nog niet gereageerd",
      title: "Wachten op je bank: {amount}",
    },
    paid: { heading: "Betaling voltooid", title: "Betaald: {amount}" },
    declined: { heading: "Betaling geweigerd", title: "Geweigerd: {amount}" },
    canceled: { heading: "Betaling geannuleerd", title: "Geannuleerd: {amount}" },
    expired: { heading: "Deze betaalpagina is verlopen", title: "Verlopen: {amount}" },
  },
  processing:
    "Een ogenblik geduld. De pagina wordt automatisch vernieuwd. Betaal niet nog een keer.",
  atBank: "Je wordt zo doorgestuurd naar je bank en komt daarna hier terug.",
  returned: [
    "Je bank heeft nog niet laten weten of je de betaling hebt bevestigd. Deze pagina toont het resultaat zodra dat er is. Betaal niet nog een keer.",
    "Heb je de betaling nog niet bevestigd, ga dan verder bij je bank of annuleer de betaling.",
  ],
  overdue: [
    "Betaal niet nog een keer. De betaling loopt door, en deze pagina toont het resultaat, ook als je later terugkomt.",
    "Als je niet wilt wachten, kun je de betaling annuleren. Wordt het bedrag toch afgeschreven, dan krijg je het terug.",
  ],
  paid: "Bedankt voor je betaling.",
  canClose: "Je kunt deze pagina sluiten.",
  notCharged: "Er is niets afgeschreven.",
  chargeRequested:
    "De betaling was al naar de bank gestuurd. Wordt het bedrag toch afgeschreven, dan krijg je het terug. Het kan enkele dagen duren voordat de terugbetaling op je rekening staat.",
  tryAgain: {
    named: "Ga terug naar {merchant} en probeer het opnieuw, eventueel met een andere kaart.",
    unnamed:
      "Ga terug naar de site van de verkoper en probeer het opnieuw, eventueel met een andere kaart.",
  },
  startAgain: {
    named: "Ga terug naar {merchant} en start de betaling opnieuw.",
    unnamed: "Ga terug naar de site van de verkoper en start de betaling opnieuw.",
  },
  contact: {
    named: "Heb je vragen, neem dan contact op met {merchant}.",
    unnamed: "Heb je vragen, neem dan contact op met de verkoper.",
  },

  paidAt: "Betaald op",
  card: "Kaart",
  cardEndingIn: "{brand} eindigend op {last4}",
  returnTo: { named: "Terug naar {merchant}", unnamed: "Terug naar de verkoper" },
  returnsByItself: "Je wordt over enkele seconden automatisch doorgestuurd.",
  continueAtBank: "Verder naar je bank",

  challenge: {
    heading: "Betaling bevestigen?",
    title: "{amount} bevestigen",
    text: "Testpagina in plaats van de bank. In de livemodus verschijnt hier de pagina van de bank van de klant.",
    approve: "Bevestigen",
    decline: "Weigeren",
  },
  nothings: {
    gone: {
      title: "Deze betaalpagina is niet beschikbaar",
      paragraphs: [
        "Deze pagina is verlopen of het adres is niet volledig.",
        "Heb je al betaald, betaal dan niet opnieuw. Ga anders terug naar de site van de verkoper en start de betaling opnieuw.",
      ],
    },
    refused: {
      title: "Dit is niet gelukt",
      paragraphs: [
        "Er is niets gewijzigd.",
        "Open de betaalpagina opnieuw vanaf de site van de verkoper.",
      ],
    },
    unavailable: {
      title: "De betaalpagina is nu niet beschikbaar",
      paragraphs: [
        "Vernieuw de betaalpagina over een minuut.",
        "Er wordt niets dubbel afgeschreven. Is je betaling al gelukt, dan staat dat op de pagina.",
      ],
    },
  },

  testMode: {
    title: "Testmodus",
    text: "Er wordt niets afgeschreven.",
    withCards: "Er wordt niets afgeschreven, en alleen testkaarten worden geaccepteerd.",
  },
  testCards: {
    title: "Testkaarten",
    text: "Met een willekeurige vervaldatum in de toekomst en een willekeurige CVC-code.",
    card: "Kaart",
    outcome: "Betaling",
    paid: "betaald",
    declined: "geweigerd: {reason}",
    asks: "vraagt om bevestiging",
    refundDeclined: "terugbetaling geweigerd",
    refundSlow: "terugbetaling traag",
  },
};
