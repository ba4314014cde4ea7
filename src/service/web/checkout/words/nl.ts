import type { Words } from "./words.ts";

export const nl: Words = {
  pay: { named: "{amount} betalen aan {merchant}", unnamed: "{amount} betalen" },
  payButton: "{amount} betalen",
  paying: "Bezig met betalen…",
  errorTitle: "Fout: {title}",
  description: "Voor",
  reference: "Referentie",
  promise: "De winkel ziet je kaartnummer niet.",

  cardDetails: "Kaartgegevens",
  cardNumber: "Kaartnummer",
  expiryDate: "Vervaldatum",
  expiryHint: "MM / JJ",
  securityCode: "Beveiligingscode",
  securityCodeHint: "3 of 4 cijfers",
  nameOnCard: "Naam op de kaart",
  optional: "(optioneel)",
  mistakes: {
    number_missing: "Vul het kaartnummer in.",
    number_not_digits: "Vul het kaartnummer alleen in cijfers in.",
    number_length: "Vul het hele kaartnummer in: het heeft 12 tot 19 cijfers.",
    number_wrong: "Controleer het kaartnummer: er klopt een cijfer niet.",
    expiry_missing: "Vul de maand en het jaar op de kaart in, bijvoorbeeld 09/30.",
    expiry_unreadable: "Vul maand en jaar in zoals ze op de kaart staan, bijvoorbeeld 09/30.",
    expiry_month: "Controleer de maand: dat is een getal van 01 tot 12.",
    expired: "Deze kaart is verlopen. Gebruik een andere kaart.",
    cvc_back: "Vul de 3 cijfers op de achterkant van de kaart in.",
    cvc_front: "Vul de 4 cijfers op de voorkant van de kaart in.",
    name_length: "Vul een naam van hoogstens 200 tekens in.",
    name_wrong: "Vul de naam in zoals die op de kaart staat.",
  },
  correctMistakes:
    "Er is nog niets betaald. Verbeter wat hieronder is gemarkeerd, en vul het kaartnummer en de beveiligingscode opnieuw in: die worden niet bewaard.",
  bankBusy:
    "Er is niets afgeschreven: de bank is op dit moment niet bereikbaar. Probeer het over een minuut opnieuw, en vul het kaartnummer en de beveiligingscode opnieuw in: die worden niet bewaard.",

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
    returned: { heading: "Wachten op je bank", title: "Wachten op je bank: {amount}" },
    overdue: {
      heading: "De bank heeft nog niet geantwoord",
      title: "Wachten op de bank: {amount}",
    },
    paid: { heading: "Betaling voltooid", title: "Betaald: {amount}" },
    declined: { heading: "Betaling geweigerd", title: "Geweigerd: {amount}" },
    canceled: { heading: "Betaling geannuleerd", title: "Geannuleerd: {amount}" },
    expired: { heading: "Deze betaalpagina is verlopen", title: "Verlopen: {amount}" },
  },
  processing:
    "Dit duurt even. De pagina wordt vanzelf vernieuwd: je hoeft niet opnieuw te betalen.",
  atBank:
    "Je bank vraagt je om deze betaling te bevestigen. Deze pagina brengt je daar zo naartoe, en je bank brengt je weer terug.",
  returned: [
    "Je bank heeft nog niet laten weten of je de betaling hebt bevestigd. Deze pagina toont het resultaat zodra dat er is: je hoeft niet opnieuw te betalen.",
    "Heb je de betaling niet bevestigd, ga dan verder bij je bank of annuleer de betaling.",
  ],
  overdue: [
    "Je hoeft niet opnieuw te betalen: de betaling loopt door, en deze pagina toont het resultaat, ook als je later terugkomt.",
    "Wil je niet wachten, annuleer de betaling dan. Schrijft de bank toch iets af, dan krijg je het geld terug.",
  ],
  paid: "Bedankt, je betaling is gelukt.",
  canClose: "Je kunt deze pagina sluiten.",
  notCharged: "Er is niets afgeschreven.",
  chargeRequested:
    "De betaling was al naar de bank gestuurd. Schrijft die toch iets af, dan krijg je het geld terug. Het kan enkele dagen duren voordat dat op je rekening te zien is.",
  startAgain: {
    declined: {
      named:
        "Deze poging is definitief. Om te betalen, zo nodig met een andere kaart, ga je terug naar {merchant} en begin je opnieuw.",
      unnamed:
        "Deze poging is definitief. Om te betalen, zo nodig met een andere kaart, ga je terug naar de winkel en begin je opnieuw.",
    },
    canceled: {
      named: "Om toch te betalen, ga je terug naar {merchant} en begin je opnieuw.",
      unnamed: "Om toch te betalen, ga je terug naar de winkel en begin je opnieuw.",
    },
    expired: {
      named: "Om te betalen, ga je terug naar {merchant} en begin je opnieuw.",
      unnamed: "Om te betalen, ga je terug naar de winkel en begin je opnieuw.",
    },
  },
  reasons: {
    generic_decline: "Je kaart is geweigerd.",
    insufficient_funds: "Het saldo van je kaart is niet toereikend voor deze betaling.",
    expired_card: "Je kaart is verlopen.",
    authentication_required:
      "Je bank wilde dat je deze betaling bevestigde, en dat is niet gebeurd.",
    test_mode_live_card: "Dit is een testbetaling, die alleen testkaarten accepteert.",
    canceled: "De winkel heeft deze betaling geannuleerd.",
    processing_error: "De betaling kon op dit moment niet worden verwerkt.",
  },

  paidAt: "Betaald op",
  card: "Kaart",
  cardEndingIn: "{brand} eindigend op {last4}",
  returnTo: { named: "Terug naar {merchant}", unnamed: "Terug naar de winkel" },
  returnsByItself: "Deze pagina gaat er over enkele seconden vanzelf naartoe.",
  continueAtBank: "Verder naar je bank",

  challenge: {
    heading: "Betaling bevestigen?",
    title: "{amount} bevestigen",
    text: "Deze pagina vervangt de bank van de klant. Een echte bank vraagt het hier op zijn eigen manier.",
    approve: "Bevestigen",
    decline: "Weigeren",
  },
  nothings: {
    gone: {
      title: "Deze betaalpagina is niet beschikbaar",
      paragraphs: [
        "Ze is enige tijd geleden verlopen, of het adres is niet volledig. Door haar te openen is niets afgeschreven.",
        "Om te betalen, ga je terug naar de winkel en begin je opnieuw.",
      ],
    },
    refused: {
      title: "Dit verzoek is geweigerd",
      paragraphs: [
        "Het kwam niet van de betaalpagina zelf, dus er is niets afgeschreven.",
        "Om te betalen, open je de betaalpagina vanaf de site van de winkel.",
      ],
    },
    unavailable: {
      title: "De betaalpagina is nu niet beschikbaar",
      paragraphs: [
        "Vernieuw de betaalpagina over een minuut.",
        "Er wordt niets dubbel afgeschreven: een betaling die al is gelukt, staat daar als voltooid.",
      ],
    },
  },

  testMode: {
    title: "Testmodus",
    text: "Er wordt geen geld overgemaakt.",
    withCards: "Er wordt geen geld overgemaakt, en alleen testkaarten worden geaccepteerd.",
  },
  testCards: {
    title: "Testkaarten",
    text: "Met een willekeurige vervaldatum in de toekomst en een willekeurige beveiligingscode.",
    card: "Kaart",
    outcome: "Betaling",
    paid: "betaald",
    declined: "geweigerd",
    asks: "vraagt om bevestiging",
    refundDeclined: "terugbetaling geweigerd",
    refundSlow: "terugbetaling traag",
  },
};
