import type { OwnWords } from "./en.ts";

export const fr: OwnWords = {
  pay: { named: "Payer {amount} à {merchant}", unnamed: "Payer {amount}" },
  due: { named: "Payer {amount} à {merchant}", unnamed: "Montant à payer {amount}" },
  payButton: "Payer {amount}",
  paying: "Paiement en cours…",
  errorTitle: "Erreur : {title}",
  description: "Objet",
  reference: "Référence",
  promise: {
    named: "{merchant} ne voit pas votre numéro de carte.",
    unnamed: "Le marchand ne voit pas votre numéro de carte.",
  },

  cardDetails: "Informations de la carte",
  cardNumber: "Numéro de carte",
  expiryDate: "Date d’expiration",
  expiryHint: "MM / AA",
  securityCode: "Code CVC",
  securityCodeHint: "3 ou 4 chiffres",
  nameOnCard: "Nom sur la carte",
  optional: "(facultatif)",
  mistakes: {
    number_missing: "Saisissez le numéro de carte.",
    number_not_digits: "Saisissez le numéro de carte en chiffres uniquement.",
    number_length: "Saisissez le numéro de carte en entier. Il compte de 12 à 19 chiffres.",
    number_wrong: "Saisissez un numéro de carte valide.",
    expiry_missing: "Saisissez le mois et l’année indiqués sur la carte, par exemple 09/30.",
    expiry_unreadable:
      "Saisissez le mois et l’année tels qu’ils figurent sur la carte, par exemple 09/30.",
    expiry_month: "Saisissez un mois de 01 à 12.",
    expired: "Cette carte a expiré. Utilisez une autre carte.",
    cvc_back: "Saisissez les 3 chiffres au dos de la carte.",
    cvc_front: "Saisissez les 4 chiffres au recto de la carte.",
    name_length: "Saisissez un nom de 200 caractères au plus.",
    name_wrong: "Saisissez le nom tel qu’il figure sur la carte.",
  },
  checkFields: "Vérifiez les champs signalés.",
  bankBusy: ["La banque est injoignable pour le moment.", "Réessayez dans une minute."],
  enterAgain: "Saisissez à nouveau le numéro de carte et le code CVC. Ils ne sont pas conservés.",

  cancel: "Annuler le paiement",
  canceling: "Annulation…",

  amountTo: { named: "{amount} à {merchant}", unnamed: "{amount}" },
  outcomes: {
    processing: {
      heading: "Votre paiement est en cours de traitement",
      title: "Paiement de {amount} en cours",
    },
    at_bank: {
      heading: "Confirmez le paiement auprès de votre banque",
      title: "À confirmer auprès de votre banque : {amount}",
    },
    returned: {
      heading: "En attente de la réponse de votre banque",
      title: "En attente de votre banque : {amount}",
    },
    overdue: {
      heading: "Votre banque n’a pas encore répondu",
      title: "En attente de votre banque : {amount}",
    },
    paid: { heading: "Paiement effectué", title: "Payé : {amount}" },
    declined: { heading: "Paiement refusé", title: "Refusé : {amount}" },
    canceled: { heading: "Paiement annulé", title: "Annulé : {amount}" },
    expired: { heading: "Cette page de paiement a expiré", title: "Expirée : {amount}" },
  },
  processing: "Un instant. La page s’actualise automatiquement. Ne payez pas une seconde fois.",
  atBank: "Cette page vous redirige vers votre banque. Vous reviendrez ensuite ici.",
  returned: [
    "Votre banque n’a pas encore indiqué si vous avez confirmé le paiement. Cette page affichera le résultat dès qu’il sera connu. Ne payez pas une seconde fois.",
    "Si vous ne l’avez pas encore confirmé, retournez sur le site de votre banque ou annulez le paiement.",
  ],
  overdue: [
    "Ne payez pas une seconde fois. Le paiement se poursuit, et cette page affichera le résultat, même si vous revenez plus tard.",
    "Si vous ne souhaitez pas attendre, annulez le paiement. Si votre carte est tout de même débitée, le montant vous sera remboursé.",
  ],
  paid: "Merci pour votre paiement.",
  canClose: "Vous pouvez fermer cette page.",
  notCharged: "Aucun montant n’a été débité.",
  chargeRequested:
    "Le paiement avait déjà été transmis à la banque. Si votre carte est tout de même débitée, le montant vous sera remboursé. Le remboursement peut mettre quelques jours à apparaître sur votre compte.",
  tryAgain: {
    named: "Retournez sur le site de {merchant} et réessayez, si nécessaire avec une autre carte.",
    unnamed: "Retournez sur le site du marchand et réessayez, si nécessaire avec une autre carte.",
  },
  startAgain: {
    named: "Retournez sur le site de {merchant} et relancez le paiement.",
    unnamed: "Retournez sur le site du marchand et relancez le paiement.",
  },
  contact: {
    named: "Pour toute question, contactez {merchant}.",
    unnamed: "Pour toute question, contactez le marchand.",
  },

  paidAt: "Payé le",
  card: "Carte",
  cardEndingIn: "{brand} se terminant par {last4}",
  returnTo: {
    named: "Retour au site de {merchant}",
    unnamed: "Retour au site du marchand",
  },
  returnsByItself: "Redirection automatique dans quelques secondes.",
  continueAtBank: "Aller sur le site de votre banque",

  challenge: {
    heading: "Confirmer le paiement ?",
    title: "Confirmer {amount}",
    text: "Page de test à la place de la banque. En mode réel, la banque du client affiche ici sa propre page.",
    approve: "Confirmer",
    decline: "Refuser",
  },
  nothings: {
    gone: {
      title: "Cette page de paiement n’est pas disponible",
      paragraphs: [
        "La page a expiré, ou son adresse est incomplète.",
        "Si vous avez déjà payé, ne payez pas une seconde fois. Sinon, retournez sur le site du marchand et relancez le paiement.",
      ],
    },
    refused: {
      title: "Action impossible",
      paragraphs: [
        "Rien n’a été modifié.",
        "Ouvrez à nouveau la page de paiement depuis le site du marchand.",
      ],
    },
    unavailable: {
      title: "La page de paiement n’est pas disponible pour le moment",
      paragraphs: [
        "Rechargez la page de paiement dans une minute.",
        "Aucun montant ne sera débité deux fois. Si votre paiement a déjà été effectué, la page l’indiquera.",
      ],
    },
  },

  testMode: {
    title: "Mode test",
    text: "Aucun débit réel.",
    withCards: "Aucun débit réel, et seules les cartes de test sont acceptées.",
  },
  testCards: {
    title: "Cartes de test",
    text: "Avec n’importe quelle date d’expiration future et n’importe quel code CVC.",
    card: "Carte",
    outcome: "Paiement",
    paid: "payé",
    declined: "refusé : {reason}",
    asks: "demande une confirmation",
    refundDeclined: "remboursement refusé",
    refundSlow: "remboursement lent",
  },
};
