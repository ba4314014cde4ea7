import type { OwnWords } from "./en.ts";

export const de: OwnWords = {
  pay: { named: "{amount} an {merchant} zahlen", unnamed: "{amount} zahlen" },
  due: { named: "Zu zahlen {amount} an {merchant}", unnamed: "Zu zahlen {amount}" },
  payButton: "{amount} zahlen",
  paying: "Zahlung läuft …",
  errorTitle: "Fehler: {title}",
  description: "Beschreibung",
  reference: "Referenz",
  promise: {
    named: "{merchant} sieht Ihre Kartennummer nicht.",
    unnamed: "Der Händler sieht Ihre Kartennummer nicht.",
  },

  cardDetails: "Kartendaten",
  cardNumber: "Kartennummer",
  expiryDate: "Gültig bis",
  expiryHint: "MM / JJ",
  securityCode: "Prüfnummer (CVC)",
  securityCodeHint: "3 oder 4 Ziffern",
  nameOnCard: "Name auf der Karte",
  optional: "(optional)",
  mistakes: {
    number_missing: "Geben Sie die Kartennummer ein.",
    number_not_digits: "Geben Sie die Kartennummer nur in Ziffern ein.",
    number_length: "Geben Sie die ganze Kartennummer ein. Sie hat 12 bis 19 Ziffern.",
    number_wrong: "Geben Sie eine gültige Kartennummer ein.",
    expiry_missing: "Geben Sie Monat und Jahr von der Karte ein, zum Beispiel 09/30.",
    expiry_unreadable:
      "Geben Sie Monat und Jahr ein, wie sie auf der Karte stehen, zum Beispiel 09/30.",
    expiry_month: "Geben Sie einen Monat von 01 bis 12 ein.",
    expired: "Diese Karte ist abgelaufen. Verwenden Sie eine andere Karte.",
    cvc_back: "Geben Sie die 3 Ziffern von der Rückseite der Karte ein.",
    cvc_front: "Geben Sie die 4 Ziffern von der Vorderseite der Karte ein.",
    name_length: "Geben Sie einen Namen mit höchstens 200 Zeichen ein.",
    name_wrong: "Geben Sie den Namen ein, wie er auf der Karte steht.",
  },
  checkFields: "Bitte markierte Felder prüfen.",
  bankBusy: [
    "Die Bank ist im Moment nicht erreichbar.",
    "Bitte versuchen Sie es in einer Minute noch einmal.",
  ],
  enterAgain: "Geben Sie Kartennummer und Prüfnummer neu ein. Beide werden nicht gespeichert.",

  cancel: "Zahlung abbrechen",
  canceling: "Wird abgebrochen …",

  amountTo: { named: "{amount} an {merchant}", unnamed: "{amount}" },
  outcomes: {
    processing: {
      heading: "Ihre Zahlung wird bearbeitet",
      title: "Zahlung über {amount} wird bearbeitet",
    },
    at_bank: {
      heading: "Bestätigen Sie die Zahlung bei Ihrer Bank",
      title: "Bei Ihrer Bank bestätigen: {amount}",
    },
    returned: {
      heading: "Wir warten auf Ihre Bank",
      title: "Warten auf Ihre Bank: {amount}",
    },
    overdue: {
      heading: "Ihre Bank hat noch nicht geantwortet",
      title: "Warten auf Ihre Bank: {amount}",
    },
    paid: { heading: "Zahlung abgeschlossen", title: "Bezahlt: {amount}" },
    declined: { heading: "Zahlung abgelehnt", title: "Abgelehnt: {amount}" },
    canceled: { heading: "Zahlung abgebrochen", title: "Abgebrochen: {amount}" },
    expired: { heading: "Diese Zahlungsseite ist abgelaufen", title: "Abgelaufen: {amount}" },
  },
  processing:
    "Einen Moment bitte. Die Seite aktualisiert sich automatisch. Bitte zahlen Sie nicht noch einmal.",
  atBank: "Sie werden gleich zu Ihrer Bank weitergeleitet und kommen danach hierher zurück.",
  returned: [
    "Ihre Bank hat noch nicht mitgeteilt, ob Sie die Zahlung bestätigt haben. Diese Seite zeigt das Ergebnis, sobald es vorliegt. Bitte zahlen Sie nicht noch einmal.",
    "Falls noch nicht geschehen, bestätigen Sie die Zahlung bei Ihrer Bank oder brechen Sie sie ab.",
  ],
  overdue: [
    "Bitte zahlen Sie nicht noch einmal. Die Zahlung läuft weiter, und diese Seite zeigt das Ergebnis, auch wenn Sie später wiederkommen.",
    "Wenn Sie nicht warten möchten, können Sie die Zahlung abbrechen. Wird Ihre Karte trotzdem belastet, erhalten Sie das Geld zurück.",
  ],
  paid: "Vielen Dank für Ihre Zahlung.",
  canClose: "Sie können diese Seite schließen.",
  notCharged: "Ihre Karte wurde nicht belastet.",
  chargeRequested:
    "Die Zahlung war bereits an die Bank gesendet worden. Wird Ihre Karte trotz des Abbruchs noch belastet, erhalten Sie das Geld zurück. Bis die Erstattung auf Ihrem Konto erscheint, können einige Tage vergehen.",
  tryAgain: {
    named:
      "Bitte kehren Sie zu {merchant} zurück und versuchen Sie es noch einmal, gegebenenfalls mit einer anderen Karte.",
    unnamed:
      "Bitte kehren Sie zum Händler zurück und versuchen Sie es noch einmal, gegebenenfalls mit einer anderen Karte.",
  },
  startAgain: {
    named: "Kehren Sie zu {merchant} zurück und starten Sie die Zahlung erneut.",
    unnamed: "Kehren Sie zum Händler zurück und starten Sie die Zahlung erneut.",
  },
  contact: {
    named: "Bei Fragen wenden Sie sich bitte an {merchant}.",
    unnamed: "Bei Fragen wenden Sie sich bitte an den Händler.",
  },

  paidAt: "Bezahlt am",
  card: "Karte",
  cardEndingIn: "{brand} mit den Endziffern {last4}",
  returnTo: { named: "Zurück zu {merchant}", unnamed: "Zurück zum Händler" },
  returnsByItself: "Sie werden in wenigen Sekunden automatisch weitergeleitet.",
  continueAtBank: "Weiter zu Ihrer Bank",

  challenge: {
    heading: "Zahlung bestätigen?",
    title: "{amount} bestätigen",
    text: "Testseite anstelle der Bank. Im Livemodus erscheint hier die Seite der Bank des Kunden.",
    approve: "Bestätigen",
    decline: "Ablehnen",
  },
  nothings: {
    gone: {
      title: "Diese Zahlungsseite ist nicht verfügbar",
      paragraphs: [
        "Die Seite ist abgelaufen, oder ihre Adresse ist unvollständig.",
        "Wenn Sie bereits bezahlt haben, zahlen Sie nicht noch einmal. Andernfalls kehren Sie zum Händler zurück und starten Sie die Zahlung erneut.",
      ],
    },
    refused: {
      title: "Das hat nicht geklappt",
      paragraphs: [
        "Es wurde nichts geändert.",
        "Bitte öffnen Sie die Zahlungsseite noch einmal über die Website des Händlers.",
      ],
    },
    unavailable: {
      title: "Die Zahlungsseite ist gerade nicht verfügbar",
      paragraphs: [
        "Bitte laden Sie die Zahlungsseite in einer Minute neu.",
        "Es wird nichts doppelt abgebucht. Ist Ihre Zahlung bereits erfolgt, zeigt die Seite das an.",
      ],
    },
  },

  testMode: {
    title: "Testmodus",
    text: "Es fließt kein Geld.",
    withCards: "Es fließt kein Geld, und nur Testkarten werden akzeptiert.",
  },
  testCards: {
    title: "Testkarten",
    text: "Mit einem beliebigen Datum in der Zukunft und einer beliebigen Prüfnummer.",
    card: "Karte",
    outcome: "Zahlung",
    paid: "bezahlt",
    declined: "abgelehnt: {reason}",
    asks: "verlangt eine Bestätigung",
    refundDeclined: "Erstattung abgelehnt",
    refundSlow: "Erstattung langsam",
  },
};
