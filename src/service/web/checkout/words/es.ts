import type { OwnWords } from "./en.ts";

export const es: OwnWords = {
  pay: { named: "Pagar {amount} a {merchant}", unnamed: "Pagar {amount}" },
  due: { named: "Pagar {amount} a {merchant}", unnamed: "Importe a pagar {amount}" },
  payButton: "Pagar {amount}",
  paying: "Procesando el pago…",
  errorTitle: "Error: {title}",
  description: "Concepto",
  reference: "Referencia",
  promise: {
    named: "{merchant} no ve el número de su tarjeta.",
    unnamed: "El comercio no ve el número de su tarjeta.",
  },

  cardDetails: "Datos de la tarjeta",
  cardNumber: "Número de tarjeta",
  expiryDate: "Caducidad",
  expiryHint: "MM / AA",
  securityCode: "Código CVV",
  securityCodeHint: "3 o 4 dígitos",
  nameOnCard: "Nombre en la tarjeta",
  optional: "(opcional)",
  mistakes: {
    number_missing: "Introduzca el número de tarjeta.",
    number_not_digits: "Introduzca el número de tarjeta solo con dígitos.",
    number_length: "Introduzca el número de tarjeta completo. Tiene de 12 a 19 dígitos.",
    number_wrong: "Introduzca un número de tarjeta válido.",
    expiry_missing: "Introduzca el mes y el año de la tarjeta, por ejemplo 09/30.",
    expiry_unreadable: "Introduzca el mes y el año como figuran en la tarjeta, por ejemplo 09/30.",
    expiry_month: "Introduzca un mes del 01 al 12.",
    expired: "Esta tarjeta ha caducado. Use otra tarjeta.",
    cvc_back: "Introduzca los 3 dígitos del reverso de la tarjeta.",
    cvc_front: "Introduzca los 4 dígitos del anverso de la tarjeta.",
    name_length: "Introduzca un nombre de 200 caracteres como máximo.",
    name_wrong: "Introduzca el nombre como figura en la tarjeta.",
  },
  checkFields: "Revise los campos señalados.",
  bankBusy: [
    "No se puede contactar con el banco en este momento.",
    "Inténtelo de nuevo dentro de un minuto.",
  ],
  enterAgain:
    "Introduzca otra vez el número de tarjeta y el código CVV. Estos datos no se guardan.",

  cancel: "Cancelar el pago",
  canceling: "Cancelando…",

  amountTo: { named: "{amount} a {merchant}", unnamed: "{amount}" },
  outcomes: {
    processing: { heading: "Estamos procesando su pago", title: "Procesando el pago de {amount}" },
    at_bank: {
      heading: "Confirme el pago en su banco",
      title: "Confirme en su banco: {amount}",
    },
    returned: {
      heading: "Esperando la respuesta de su banco",
      title: "Esperando a su banco: {amount}",
    },
    overdue: { heading: "Su banco aún no ha respondido", title: "Esperando a su banco: {amount}" },
    paid: { heading: "Pago realizado", title: "Pagado: {amount}" },
    declined: { heading: "Pago rechazado", title: "Rechazado: {amount}" },
    canceled: { heading: "Pago cancelado", title: "Cancelado: {amount}" },
    expired: { heading: "Esta página de pago ha caducado", title: "Caducada: {amount}" },
  },
  processing: "Un momento, por favor. La página se actualiza automáticamente. No vuelva a pagar.",
  atBank: "En un momento se le redirigirá a la web de su banco y después volverá a esta página.",
  returned: [
    "Su banco aún no ha indicado si usted ha confirmado el pago. Esta página mostrará el resultado en cuanto lo haga. No vuelva a pagar.",
    "Si aún no lo ha confirmado, vuelva a la web de su banco o cancele el pago.",
  ],
  overdue: [
    "No vuelva a pagar. El pago sigue su curso, y esta página mostrará el resultado, aunque vuelva más tarde.",
    "Si no quiere esperar, cancele el pago. Si a pesar de ello se le cobra, se le devolverá el dinero.",
  ],
  paid: "Gracias por su pago.",
  canClose: "Puede cerrar esta página.",
  notCharged: "No se le ha cobrado nada.",
  chargeRequested:
    "El pago ya se había enviado al banco. Si se le cobra a pesar de la cancelación, se le devolverá el dinero. La devolución puede tardar unos días en aparecer en su cuenta.",
  tryAgain: {
    named: "Vuelva a {merchant} e inténtelo de nuevo, si es necesario con otra tarjeta.",
    unnamed: "Vuelva al comercio e inténtelo de nuevo, si es necesario con otra tarjeta.",
  },
  startAgain: {
    named: "Vuelva a {merchant} e inicie el pago de nuevo.",
    unnamed: "Vuelva al comercio e inicie el pago de nuevo.",
  },
  contact: {
    named: "Si tiene alguna duda, póngase en contacto con {merchant}.",
    unnamed: "Si tiene alguna duda, póngase en contacto con el comercio.",
  },

  paidAt: "Pagado el",
  card: "Tarjeta",
  cardEndingIn: "{brand} terminada en {last4}",
  returnTo: { named: "Volver a {merchant}", unnamed: "Volver al comercio" },
  returnsByItself: "Se le redirigirá automáticamente en unos segundos.",
  continueAtBank: "Ir a la web de su banco",

  challenge: {
    heading: "¿Confirmar el pago?",
    title: "Confirmar {amount}",
    text: "Página de prueba en lugar del banco. En modo real, aquí aparece la página del banco del cliente.",
    approve: "Confirmar",
    decline: "Rechazar",
  },
  nothings: {
    gone: {
      title: "Esta página de pago no está disponible",
      paragraphs: [
        "La página ha caducado o su dirección está incompleta.",
        "Si ya ha pagado, no pague otra vez. Si no, vuelva al comercio e inicie el pago de nuevo.",
      ],
    },
    refused: {
      title: "No se ha podido completar la acción",
      paragraphs: [
        "No se ha cambiado nada.",
        "Abra de nuevo la página de pago desde el sitio web del comercio.",
      ],
    },
    unavailable: {
      title: "La página de pago no está disponible en este momento",
      paragraphs: [
        "Recargue la página de pago dentro de un minuto.",
        "No se le cobrará dos veces. Si su pago ya se ha realizado, la página se lo indicará.",
      ],
    },
  },

  testMode: {
    title: "Modo de prueba",
    text: "No se cobra nada.",
    withCards: "No se cobra nada, y solo se aceptan tarjetas de prueba.",
  },
  testCards: {
    title: "Tarjetas de prueba",
    text: "Con cualquier fecha de caducidad futura y cualquier código CVV.",
    card: "Tarjeta",
    outcome: "Pago",
    paid: "pagado",
    declined: "rechazado: {reason}",
    asks: "pide una confirmación",
    refundDeclined: "reembolso rechazado",
    refundSlow: "reembolso lento",
  },
};
