import type { Words } from "./words.ts";

export const de: Words = {
  pay: { named: "{amount} an {merchant} zahlen", unnamed: "{amount} zahlen" },
  payButton: "{amount} zahlen",
  paying: "Wird bezahlt …",
  errorTitle: "Fehler: {title}",
  description: "Für",
  reference: "Referenz",
  promise: "Der Händler sieht Ihre Kartennummer nicht.",

  cardDetails: "Kartendaten",
  cardNumber: "Kartennummer",
  expiryDate: "Gültig bis",
  expiryHint: "MM / JJ",
  securityCode: "Prüfnummer",
  securityCodeHint: "3 oder 4 Ziffern",
  nameOnCard: "Name auf der Karte",
  optional: "(freiwillig)",
  mistakes: {
    number_missing: "Geben Sie die Kartennummer ein.",
    number_not_digits: "Geben Sie die Kartennummer nur in Ziffern ein.",
    number_length: "Geben Sie die ganze Kartennummer ein: Sie hat 12 bis 19 Ziffern.",
    number_wrong: "Prüfen Sie die Kartennummer: Eine Ziffer ist falsch.",
    expiry_missing: "Geben Sie Monat und Jahr von der Karte ein, zum Beispiel 09/30.",
    expiry_unreadable:
      "Geben Sie Monat und Jahr ein, wie sie auf der Karte stehen, zum Beispiel 09/30.",
    expiry_month: "Prüfen Sie den Monat: Er ist eine Zahl von 01 bis 12.",
    expired: "Diese Karte ist abgelaufen. Verwenden Sie eine andere Karte.",
    cvc_back: "Geben Sie die 3 Ziffern von der Rückseite der Karte ein.",
    cvc_front: "Geben Sie die 4 Ziffern von der Vorderseite der Karte ein.",
    name_length: "Geben Sie einen Namen mit höchstens 200 Zeichen ein.",
    name_wrong: "Geben Sie den Namen ein, wie er auf der Karte steht.",
  },
  correctMistakes:
    "Es wurde noch nichts bezahlt. Bitte korrigieren Sie die markierten Angaben, und geben Sie Kartennummer und Prüfnummer noch einmal ein: Sie werden nicht gespeichert.",
  bankBusy:
    "Ihre Karte wurde nicht belastet: Die Bank ist im Moment nicht erreichbar. Bitte versuchen Sie es in einer Minute noch einmal, und geben Sie Kartennummer und Prüfnummer neu ein: Sie werden nicht gespeichert.",

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
      heading: "Die Bank hat noch nicht geantwortet",
      title: "Warten auf die Bank: {amount}",
    },
    paid: { heading: "Zahlung abgeschlossen", title: "Bezahlt: {amount}" },
    declined: { heading: "Zahlung abgelehnt", title: "Abgelehnt: {amount}" },
    canceled: { heading: "Zahlung abgebrochen", title: "Abgebrochen: {amount}" },
    expired: { heading: "Diese Zahlungsseite ist abgelaufen", title: "Abgelaufen: {amount}" },
  },
  processing:
    "Das dauert einen Moment. Die Seite lädt sich selbst neu: Sie müssen nicht noch einmal zahlen.",
  atBank:
    "Ihre Bank bittet Sie, diese Zahlung zu bestätigen. Diese Seite führt Sie gleich dorthin, und Ihre Bank bringt Sie zurück.",
  returned: [
    "Ihre Bank hat noch nicht mitgeteilt, ob Sie die Zahlung bestätigt haben. Diese Seite zeigt das Ergebnis, sobald es vorliegt: Sie müssen nicht noch einmal zahlen.",
    "Wenn Sie sie noch nicht bestätigt haben, fahren Sie bei Ihrer Bank fort, oder brechen Sie die Zahlung ab.",
  ],
  overdue: [
    "Sie müssen nicht noch einmal zahlen: Die Zahlung läuft weiter, und diese Seite zeigt das Ergebnis, auch wenn Sie später wiederkommen.",
    "Wenn Sie nicht warten möchten, brechen Sie sie ab. Belastet die Bank Ihre Karte trotzdem, erhalten Sie das Geld zurück.",
  ],
  paid: "Vielen Dank, Ihre Zahlung ist erfolgt.",
  canClose: "Sie können diese Seite schließen.",
  notCharged: "Ihre Karte wurde nicht belastet.",
  chargeRequested:
    "Die Zahlung wurde schon an die Bank gesendet. Belastet sie Ihre Karte trotzdem, erhalten Sie das Geld zurück. Bis es auf Ihrem Konto erscheint, können einige Tage vergehen.",
  startAgain: {
    declined: {
      named:
        "Dieser Versuch ist abgeschlossen. Um zu zahlen, wenn nötig mit einer anderen Karte, gehen Sie zurück zu {merchant} und beginnen Sie neu.",
      unnamed:
        "Dieser Versuch ist abgeschlossen. Um zu zahlen, wenn nötig mit einer anderen Karte, gehen Sie zurück zum Händler und beginnen Sie neu.",
    },
    canceled: {
      named: "Um doch noch zu zahlen, gehen Sie zurück zu {merchant} und beginnen Sie neu.",
      unnamed: "Um doch noch zu zahlen, gehen Sie zurück zum Händler und beginnen Sie neu.",
    },
    expired: {
      named: "Um zu zahlen, gehen Sie zurück zu {merchant} und beginnen Sie neu.",
      unnamed: "Um zu zahlen, gehen Sie zurück zum Händler und beginnen Sie neu.",
    },
  },
  reasons: {
    generic_decline: "Ihre Karte wurde abgelehnt.",
    insufficient_funds: "Das Guthaben Ihrer Karte reicht für diese Zahlung nicht aus.",
    expired_card: "Ihre Karte ist abgelaufen.",
    authentication_required:
      "Ihre Bank wollte, dass Sie diese Zahlung bestätigen, und sie wurde nicht bestätigt.",
    test_mode_live_card: "Dies ist eine Testzahlung, für die nur Testkarten gelten.",
    canceled: "Der Händler hat diese Zahlung abgebrochen.",
    processing_error: "Die Zahlung konnte im Moment nicht bearbeitet werden.",
  },

  paidAt: "Bezahlt",
  card: "Karte",
  cardEndingIn: "{brand} mit den Endziffern {last4}",
  returnTo: { named: "Zurück zu {merchant}", unnamed: "Zurück zum Händler" },
  returnsByItself: "Diese Seite führt in wenigen Sekunden von selbst dorthin.",
  continueAtBank: "Weiter zu Ihrer Bank",

  challenge: {
    heading: "Zahlung bestätigen?",
    title: "{amount} bestätigen",
    text: "Diese Seite steht für die Bank des Kunden. Eine echte Bank fragt hier auf ihre Weise.",
    approve: "Bestätigen",
    decline: "Ablehnen",
  },
  nothings: {
    gone: {
      title: "Diese Zahlungsseite ist nicht verfügbar",
      paragraphs: [
        "Sie ist vor einiger Zeit abgelaufen, oder ihre Adresse ist unvollständig. Durch das Öffnen wurde nichts belastet.",
        "Um zu zahlen, gehen Sie zurück zum Händler und beginnen Sie neu.",
      ],
    },
    refused: {
      title: "Diese Anfrage wurde abgelehnt",
      paragraphs: [
        "Sie kam nicht von der Zahlungsseite selbst, daher wurde nichts belastet.",
        "Um zu zahlen, öffnen Sie die Zahlungsseite von der Website des Händlers aus.",
      ],
    },
    unavailable: {
      title: "Die Zahlungsseite ist gerade nicht verfügbar",
      paragraphs: [
        "Bitte laden Sie die Zahlungsseite in einer Minute neu.",
        "Nichts wird doppelt belastet: Eine schon erfolgte Zahlung wird dort als abgeschlossen gezeigt.",
      ],
    },
  },

  testMode: {
    title: "Testmodus",
    text: "Es fließt kein Geld.",
    withCards: "Es fließt kein Geld, und nur Testkarten werden angenommen.",
  },
  testCards: {
    title: "Testkarten",
    text: "Mit einem beliebigen Datum in der Zukunft und einer beliebigen Prüfnummer.",
    card: "Karte",
    outcome: "Zahlung",
    paid: "bezahlt",
    declined: "abgelehnt",
    asks: "verlangt eine Bestätigung",
    refundDeclined: "Erstattung abgelehnt",
    refundSlow: "Erstattung langsam",
  },
};
