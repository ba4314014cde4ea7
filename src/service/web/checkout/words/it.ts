import type { OwnWords } from "./en.ts";

export const it: OwnWords = {
  pay: { named: "Paga {amount} a {merchant}", unnamed: "Paga {amount}" },
  due: { named: "Paga {amount} a {merchant}", unnamed: "Importo da pagare {amount}" },
  payButton: "Paga {amount}",
  paying: "Pagamento in corso…",
  errorTitle: "Errore: {title}",
  description: "Descrizione",
  reference: "Riferimento",
  promise: {
    named: "{merchant} non vede il numero della tua carta.",
    unnamed: "L’esercente non vede il numero della tua carta.",
  },

  cardDetails: "Dati della carta",
  cardNumber: "Numero della carta",
  expiryDate: "Scadenza",
  expiryHint: "MM / AA",
  securityCode: "Codice CVV",
  securityCodeHint: "3 o 4 cifre",
  nameOnCard: "Nome sulla carta",
  optional: "(facoltativo)",
  mistakes: {
    number_missing: "Inserisci il numero della carta.",
    number_not_digits: "Inserisci il numero della carta solo in cifre.",
    number_length: "Inserisci il numero completo della carta. Ha da 12 a 19 cifre.",
    number_wrong: "Inserisci un numero di carta valido.",
    expiry_missing: "Inserisci il mese e l’anno indicati sulla carta, per esempio 09/30.",
    expiry_unreadable: "Inserisci mese e anno come riportati sulla carta, per esempio 09/30.",
    expiry_month: "Inserisci un mese da 01 a 12.",
    expired: "Questa carta è scaduta. Usa un’altra carta.",
    cvc_back: "Inserisci le 3 cifre sul retro della carta.",
    cvc_front: "Inserisci le 4 cifre sul fronte della carta.",
    name_length: "Inserisci un nome di al massimo 200 caratteri.",
    name_wrong: "Inserisci il nome come riportato sulla carta.",
  },
  checkFields: "Controlla i campi segnalati.",
  bankBusy: ["Al momento la banca non è raggiungibile.", "Riprova tra un minuto."],
  enterAgain:
    "Inserisci di nuovo il numero della carta e il codice CVV. Questi dati non vengono conservati.",

  cancel: "Annulla il pagamento",
  canceling: "Annullamento…",

  amountTo: { named: "{amount} a {merchant}", unnamed: "{amount}" },
  outcomes: {
    processing: {
      heading: "Stiamo elaborando il pagamento",
      title: "Pagamento di {amount} in elaborazione",
    },
    at_bank: {
      heading: "Conferma il pagamento con la tua banca",
      title: "Conferma con la tua banca: {amount}",
    },
    returned: {
      heading: "In attesa di risposta dalla tua banca",
      title: "In attesa della tua banca: {amount}",
    },
    overdue: {
      heading: "La tua banca non ha ancora risposto",
      title: "In attesa della tua banca: {amount}",
    },
    paid: { heading: "Pagamento completato", title: "Pagato: {amount}" },
    declined: { heading: "Pagamento rifiutato", title: "Rifiutato: {amount}" },
    canceled: { heading: "Pagamento annullato", title: "Annullato: {amount}" },
    expired: { heading: "Questa pagina di pagamento è scaduta", title: "Scaduta: {amount}" },
  },
  processing: "Un momento. La pagina si aggiorna automaticamente. Non pagare di nuovo.",
  atBank: "Tra un momento passerai al sito della tua banca, poi tornerai qui.",
  returned: [
    "La tua banca non ha ancora comunicato se hai confermato il pagamento. Questa pagina mostrerà il risultato appena disponibile. Non pagare di nuovo.",
    "Se non lo hai ancora confermato, torna al sito della tua banca oppure annulla il pagamento.",
  ],
  overdue: [
    "Non pagare di nuovo. Il pagamento prosegue, e questa pagina mostrerà il risultato anche se torni più tardi.",
    "Se non vuoi aspettare, annulla il pagamento. Se l’importo viene comunque addebitato, ti verrà rimborsato.",
  ],
  paid: "Grazie per il pagamento.",
  canClose: "Puoi chiudere questa pagina.",
  notCharged: "Non ti è stato addebitato nulla.",
  chargeRequested:
    "Il pagamento era già stato inviato alla banca. Se l’importo viene comunque addebitato, ti verrà rimborsato. Il rimborso può richiedere qualche giorno per comparire sul tuo conto.",
  tryAgain: {
    named: "Torna a {merchant} e riprova, eventualmente con un’altra carta.",
    unnamed: "Torna al sito dell’esercente e riprova, eventualmente con un’altra carta.",
  },
  startAgain: {
    named: "Torna a {merchant} e avvia di nuovo il pagamento.",
    unnamed: "Torna al sito dell’esercente e avvia di nuovo il pagamento.",
  },
  contact: {
    named: "Per qualsiasi domanda, contatta {merchant}.",
    unnamed: "Per qualsiasi domanda, contatta l’esercente.",
  },

  paidAt: "Pagato il",
  card: "Carta",
  cardEndingIn: "{brand} che termina con {last4}",
  returnTo: { named: "Torna a {merchant}", unnamed: "Torna al sito dell’esercente" },
  returnsByItself: "Reindirizzamento automatico tra pochi secondi.",
  continueAtBank: "Vai al sito della tua banca",

  challenge: {
    heading: "Confermare il pagamento?",
    title: "Conferma {amount}",
    text: "Pagina di prova al posto della banca. In modalità reale qui compare la pagina della banca del cliente.",
    approve: "Conferma",
    decline: "Rifiuta",
  },
  nothings: {
    gone: {
      title: "Questa pagina di pagamento non è disponibile",
      paragraphs: [
        "La pagina è scaduta, oppure il suo indirizzo è incompleto.",
        "Se hai già pagato, non pagare di nuovo. Altrimenti torna al sito dell’esercente e avvia di nuovo il pagamento.",
      ],
    },
    refused: {
      title: "Operazione non riuscita",
      paragraphs: [
        "Non è stato modificato nulla.",
        "Apri di nuovo la pagina di pagamento dal sito dell’esercente.",
      ],
    },
    unavailable: {
      title: "Al momento la pagina di pagamento non è disponibile",
      paragraphs: [
        "Ricarica la pagina di pagamento tra un minuto.",
        "L’importo non verrà addebitato due volte. Se il pagamento è già andato a buon fine, la pagina lo indicherà.",
      ],
    },
  },

  testMode: {
    title: "Modalità test",
    text: "Nessun addebito reale.",
    withCards: "Nessun addebito reale, e sono accettate solo carte di prova.",
  },
  testCards: {
    title: "Carte di prova",
    text: "Con una scadenza futura e un codice CVV qualsiasi.",
    card: "Carta",
    outcome: "Pagamento",
    paid: "pagato",
    declined: "rifiutato: {reason}",
    asks: "chiede una conferma",
    refundDeclined: "rimborso rifiutato",
    refundSlow: "rimborso lento",
  },
};
