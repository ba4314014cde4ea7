import type { Words } from "./words.ts";

export const es: Words = {
  pay: { named: "Pagar {amount} a {merchant}", unnamed: "Pagar {amount}" },
  payButton: "Pagar {amount}",
  paying: "Pagando…",
  errorTitle: "Error: {title}",
  description: "Concepto",
  reference: "Referencia",
  promise: "El comercio no ve el número de su tarjeta.",

  cardDetails: "Datos de la tarjeta",
  cardNumber: "Número de tarjeta",
  expiryDate: "Caducidad",
  expiryHint: "MM / AA",
  securityCode: "Código de seguridad",
  securityCodeHint: "3 o 4 cifras",
  nameOnCard: "Nombre en la tarjeta",
  optional: "(opcional)",
  mistakes: {
    number_missing: "Introduzca el número de tarjeta.",
    number_not_digits: "Introduzca el número de tarjeta solo con cifras.",
    number_length: "Introduzca el número de tarjeta completo: tiene de 12 a 19 cifras.",
    number_wrong: "Revise el número de tarjeta: hay una cifra incorrecta.",
    expiry_missing: "Introduzca el mes y el año de la tarjeta, por ejemplo 09/30.",
    expiry_unreadable: "Introduzca el mes y el año como figuran en la tarjeta, por ejemplo 09/30.",
    expiry_month: "Revise el mes: es un número del 01 al 12.",
    expired: "Esta tarjeta ha caducado. Use otra tarjeta.",
    cvc_back: "Introduzca las 3 cifras del reverso de la tarjeta.",
    cvc_front: "Introduzca las 4 cifras del anverso de la tarjeta.",
    name_length: "Introduzca un nombre de 200 caracteres como máximo.",
    name_wrong: "Introduzca el nombre como figura en la tarjeta.",
  },
  correctMistakes:
    "Todavía no se ha pagado nada. Corrija los campos señalados e introduzca de nuevo el número de tarjeta y el código de seguridad: no se guardan.",
  bankBusy:
    "No se le ha cobrado nada: no se puede contactar con el banco en este momento. Inténtelo de nuevo dentro de un minuto e introduzca otra vez el número de tarjeta y el código de seguridad: no se guardan.",

  cancel: "Cancelar el pago",
  canceling: "Cancelando…",

  amountTo: { named: "{amount} a {merchant}", unnamed: "{amount}" },
  outcomes: {
    processing: { heading: "Estamos procesando su pago", title: "Procesando el pago de {amount}" },
    at_bank: {
      heading: "Confirme el pago en su banco",
      title: "Confirme en su banco: {amount}",
    },
    returned: { heading: "Esperando a su banco", title: "Esperando a su banco: {amount}" },
    overdue: {
      heading: "El banco aún no ha respondido",
      title: "Esperando al banco: {amount}",
    },
    paid: { heading: "Pago realizado", title: "Pagado: {amount}" },
    declined: { heading: "Pago rechazado", title: "Rechazado: {amount}" },
    canceled: { heading: "Pago cancelado", title: "Cancelado: {amount}" },
    expired: { heading: "Esta página de pago ha caducado", title: "Caducada: {amount}" },
  },
  processing: "Tardará un momento. La página se recarga sola: no hace falta volver a pagar.",
  atBank:
    "Su banco le pide que confirme este pago. Esta página le lleva allí en un momento, y su banco le trae de vuelta.",
  returned: [
    "Su banco aún no ha indicado si usted confirmó el pago. Esta página mostrará el resultado en cuanto lo haga: no hace falta volver a pagar.",
    "Si no lo ha confirmado, continúe en su banco o cancele el pago.",
  ],
  overdue: [
    "No hace falta volver a pagar: el pago sigue su curso, y esta página mostrará el resultado, también si vuelve más tarde.",
    "Si no quiere esperar, cancélelo. Si el banco le cobra de todos modos, se le devolverá el dinero.",
  ],
  paid: "Gracias, su pago se ha realizado.",
  canClose: "Puede cerrar esta página.",
  notCharged: "No se le ha cobrado nada.",
  chargeRequested:
    "El pago ya se había enviado al banco. Si le cobra de todos modos, se le devolverá el dinero. Puede tardar unos días en aparecer en su cuenta.",
  startAgain: {
    declined: {
      named:
        "Este intento es definitivo. Para pagar, si es necesario con otra tarjeta, vuelva a {merchant} y empiece de nuevo.",
      unnamed:
        "Este intento es definitivo. Para pagar, si es necesario con otra tarjeta, vuelva al comercio y empiece de nuevo.",
    },
    canceled: {
      named: "Para pagar a pesar de todo, vuelva a {merchant} y empiece de nuevo.",
      unnamed: "Para pagar a pesar de todo, vuelva al comercio y empiece de nuevo.",
    },
    expired: {
      named: "Para pagar, vuelva a {merchant} y empiece de nuevo.",
      unnamed: "Para pagar, vuelva al comercio y empiece de nuevo.",
    },
  },
  reasons: {
    generic_decline: "Su tarjeta ha sido rechazada.",
    insufficient_funds: "Su tarjeta no tiene fondos suficientes para este pago.",
    expired_card: "Su tarjeta ha caducado.",
    authentication_required: "Su banco quería que confirmara este pago, y no se confirmó.",
    test_mode_live_card: "Este es un pago de prueba, que solo acepta tarjetas de prueba.",
    canceled: "El comercio ha cancelado este pago.",
    processing_error: "El pago no se ha podido procesar en este momento.",
  },

  paidAt: "Pagado el",
  card: "Tarjeta",
  cardEndingIn: "{brand} terminada en {last4}",
  returnTo: { named: "Volver a {merchant}", unnamed: "Volver al comercio" },
  returnsByItself: "Esta página va allí por sí sola en unos segundos.",
  continueAtBank: "Continuar a su banco",

  challenge: {
    heading: "¿Confirmar el pago?",
    title: "Confirmar {amount}",
    text: "Esta página hace las veces del banco del cliente. Un banco real pregunta aquí a su manera.",
    approve: "Confirmar",
    decline: "Rechazar",
  },
  nothings: {
    gone: {
      title: "Esta página de pago no está disponible",
      paragraphs: [
        "Caducó hace algún tiempo, o su dirección está incompleta. Abrirla no ha cobrado nada.",
        "Para pagar, vuelva al comercio y empiece de nuevo.",
      ],
    },
    refused: {
      title: "Esta solicitud se ha rechazado",
      paragraphs: [
        "No venía de la propia página de pago, así que no se ha cobrado nada.",
        "Para pagar, abra la página de pago desde el sitio del comercio.",
      ],
    },
    unavailable: {
      title: "La página de pago no está disponible en este momento",
      paragraphs: [
        "Recargue la página de pago dentro de un minuto.",
        "Nada se cobra dos veces: un pago ya realizado aparece allí como realizado.",
      ],
    },
  },

  testMode: {
    title: "Modo de prueba",
    text: "No se mueve dinero.",
    withCards: "No se mueve dinero, y solo se aceptan tarjetas de prueba.",
  },
  testCards: {
    title: "Tarjetas de prueba",
    text: "Con cualquier fecha de caducidad futura y cualquier código de seguridad.",
    card: "Tarjeta",
    outcome: "Pago",
    paid: "pagado",
    declined: "rechazado",
    asks: "pide una confirmación",
    refundDeclined: "reembolso rechazado",
    refundSlow: "reembolso lento",
  },
};
