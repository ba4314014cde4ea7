import type { Words } from "./words.ts";

export const it: Words = {
  pay: { named: "Paga {amount} a {merchant}", unnamed: "Paga {amount}" },
  payButton: "Paga {amount}",
  paying: "Pagamento in corso…",
  errorTitle: "Errore: {title}",
  description: "Causale",
  reference: "Riferimento",
  promise: "Il negozio non vede il numero della tua carta.",

  cardDetails: "Dati della carta",
  cardNumber: "Numero della carta",
  expiryDate: "Scadenza",
  expiryHint: "MM / AA",
  securityCode: "Codice di sicurezza",
  securityCodeHint: "3 o 4 cifre",
  nameOnCard: "Nome sulla carta",
  optional: "(facoltativo)",
  mistakes: {
    number_missing: "Inserisci il numero della carta.",
    number_not_digits: "Inserisci il numero della carta solo in cifre.",
    number_length: "Inserisci il numero completo della carta: ha da 12 a 19 cifre.",
    number_wrong: "Controlla il numero della carta: una cifra è sbagliata.",
    expiry_missing: "Inserisci il mese e l’anno indicati sulla carta, per esempio 09/30.",
    expiry_unreadable: "Inserisci mese e anno come sono sulla carta, per esempio 09/30.",
    expiry_month: "Controlla il mese: è un numero da 01 a 12.",
    expired: "Questa carta è scaduta. Usa un’altra carta.",
    cvc_back: "Inserisci le 3 cifre sul retro della carta.",
    cvc_front: "Inserisci le 4 cifre sul fronte della carta.",
    name_length: "Inserisci un nome di al massimo 200 caratteri.",
    name_wrong: "Inserisci il nome come è sulla carta.",
  },
  correctMistakes:
    "Non è stato ancora pagato nulla. Correggi i campi segnalati e inserisci di nuovo il numero della carta e il codice di sicurezza: non vengono conservati.",
  bankBusy:
    "Non ti è stato addebitato nulla: al momento la banca non è raggiungibile. Riprova tra un minuto e inserisci di nuovo il numero della carta e il codice di sicurezza: non vengono conservati.",

  cancel: "Annulla il pagamento",
  canceling: "Annullamento…",

  amountTo: { named: "{amount} a {merchant}", unnamed: "{amount}" },
  outcomes: {
    processing: {
      heading: "Stiamo elaborando il pagamento",
      title: "Pagamento di {amount} in elaborazione",
    },
    at_bank: {
      heading: "Conferma il pagamento presso la tua banca",
      title: "Conferma presso la tua banca: {amount}",
    },
    returned: {
      heading: "In attesa della tua banca",
      title: "In attesa della tua banca: {amount}",
    },
    overdue: {
      heading: "La banca non ha ancora risposto",
      title: "In attesa della banca: {amount}",
    },
    paid: { heading: "Pagamento completato", title: "Pagato: {amount}" },
    declined: { heading: "Pagamento rifiutato", title: "Rifiutato: {amount}" },
    canceled: { heading: "Pagamento annullato", title: "Annullato: {amount}" },
    expired: { heading: "Questa pagina di pagamento è scaduta", title: "Scaduta: {amount}" },
  },
  processing: "Ci vuole un momento. La pagina si ricarica da sola: non serve pagare di nuovo.",
  atBank:
    "La tua banca ti chiede di confermare questo pagamento. Questa pagina ti porta lì tra un momento, e la tua banca ti riporta qui.",
  returned: [
    "La tua banca non ha ancora comunicato se hai confermato il pagamento. Questa pagina mostrerà il risultato appena disponibile: non serve pagare di nuovo.",
    "Se non lo hai confermato, continua presso la tua banca oppure annulla il pagamento.",
  ],
  overdue: [
    "Non serve pagare di nuovo: il pagamento prosegue, e questa pagina mostrerà il risultato anche se torni più tardi.",
    "Se non vuoi aspettare, annullalo. Se la banca ti addebita comunque l’importo, ti verrà rimborsato.",
  ],
  paid: "Grazie, il pagamento è andato a buon fine.",
  canClose: "Puoi chiudere questa pagina.",
  notCharged: "Non ti è stato addebitato nulla.",
  chargeRequested:
    "Il pagamento era già stato inviato alla banca. Se ti addebita comunque l’importo, ti verrà rimborsato. Può volerci qualche giorno prima che compaia sul tuo conto.",
  startAgain: {
    declined: {
      named:
        "Questo tentativo è concluso. Per pagare, se serve con un’altra carta, torna a {merchant} e ricomincia.",
      unnamed:
        "Questo tentativo è concluso. Per pagare, se serve con un’altra carta, torna al negozio e ricomincia.",
    },
    canceled: {
      named: "Per pagare comunque, torna a {merchant} e ricomincia.",
      unnamed: "Per pagare comunque, torna al negozio e ricomincia.",
    },
    expired: {
      named: "Per pagare, torna a {merchant} e ricomincia.",
      unnamed: "Per pagare, torna al negozio e ricomincia.",
    },
  },
  reasons: {
    generic_decline: "La tua carta è stata rifiutata.",
    insufficient_funds: "La tua carta non ha fondi sufficienti per questo pagamento.",
    expired_card: "La tua carta è scaduta.",
    authentication_required:
      "La tua banca voleva che confermassi questo pagamento, e non è stato confermato.",
    test_mode_live_card: "Questo è un pagamento di prova, che accetta solo carte di prova.",
    canceled: "Il negozio ha annullato questo pagamento.",
    processing_error: "Al momento non è stato possibile elaborare il pagamento.",
  },

  paidAt: "Pagato il",
  card: "Carta",
  cardEndingIn: "{brand} che termina con {last4}",
  returnTo: { named: "Torna a {merchant}", unnamed: "Torna al negozio" },
  returnsByItself: "Questa pagina ci va da sola tra pochi secondi.",
  continueAtBank: "Continua presso la tua banca",

  challenge: {
    heading: "Confermare il pagamento?",
    title: "Conferma {amount}",
    text: "Questa pagina sta al posto della banca del cliente. Una vera banca chiede qui a modo suo.",
    approve: "Conferma",
    decline: "Rifiuta",
  },
  nothings: {
    gone: {
      title: "Questa pagina di pagamento non è disponibile",
      paragraphs: [
        "È scaduta da tempo, oppure il suo indirizzo è incompleto. Aprirla non ha addebitato nulla.",
        "Per pagare, torna al negozio e ricomincia.",
      ],
    },
    refused: {
      title: "Questa richiesta è stata rifiutata",
      paragraphs: [
        "Non proveniva dalla pagina di pagamento, quindi non è stato addebitato nulla.",
        "Per pagare, apri la pagina di pagamento dal sito del negozio.",
      ],
    },
    unavailable: {
      title: "Al momento la pagina di pagamento non è disponibile",
      paragraphs: [
        "Ricarica la pagina di pagamento tra un minuto.",
        "Nulla viene addebitato due volte: un pagamento già riuscito vi compare come completato.",
      ],
    },
  },

  testMode: {
    title: "Modalità di prova",
    text: "Nessun denaro si muove.",
    withCards: "Nessun denaro si muove, e sono accettate solo carte di prova.",
  },
  testCards: {
    title: "Carte di prova",
    text: "Con una scadenza futura e un codice di sicurezza qualsiasi.",
    card: "Carta",
    outcome: "Pagamento",
    paid: "pagato",
    declined: "rifiutato",
    asks: "chiede una conferma",
    refundDeclined: "rimborso rifiutato",
    refundSlow: "rimborso lento",
  },
};
