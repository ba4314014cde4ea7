import type { Words } from "./words.ts";

export const fr: Words = {
  pay: { named: "Payer {amount} à {merchant}", unnamed: "Payer {amount}" },
  payButton: "Payer {amount}",
  paying: "Paiement en cours…",
  errorTitle: "Erreur : {title}",
  description: "Objet",
  reference: "Référence",
  promise: "Le marchand ne voit pas votre numéro de carte.",

  cardDetails: "Informations de la carte",
  cardNumber: "Numéro de carte",
  expiryDate: "Date d’expiration",
  expiryHint: "MM / AA",
  securityCode: "Code de sécurité",
  securityCodeHint: "3 ou 4 chiffres",
  nameOnCard: "Nom sur la carte",
  optional: "(facultatif)",
  mistakes: {
    number_missing: "Saisissez le numéro de carte.",
    number_not_digits: "Saisissez le numéro de carte en chiffres uniquement.",
    number_length: "Saisissez le numéro de carte en entier : il compte de 12 à 19 chiffres.",
    number_wrong: "Vérifiez le numéro de carte : un chiffre est incorrect.",
    expiry_missing: "Saisissez le mois et l’année indiqués sur la carte, par exemple 09/30.",
    expiry_unreadable:
      "Saisissez le mois et l’année comme ils figurent sur la carte, par exemple 09/30.",
    expiry_month: "Vérifiez le mois : c’est un nombre de 01 à 12.",
    expired: "Cette carte a expiré. Utilisez une autre carte.",
    cvc_back: "Saisissez les 3 chiffres au dos de la carte.",
    cvc_front: "Saisissez les 4 chiffres au recto de la carte.",
    name_length: "Saisissez un nom de 200 caractères au plus.",
    name_wrong: "Saisissez le nom comme il figure sur la carte.",
  },
  correctMistakes:
    "Rien n’a encore été payé. Corrigez les champs signalés, puis saisissez à nouveau le numéro de carte et le code de sécurité : ils ne sont pas conservés.",
  bankBusy:
    "Vous n’avez pas été débité : la banque est injoignable pour le moment. Réessayez dans une minute, et saisissez à nouveau le numéro de carte et le code de sécurité : ils ne sont pas conservés.",

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
      title: "À confirmer auprès de votre banque : {amount}",
    },
    returned: {
      heading: "En attente de votre banque",
      title: "En attente de votre banque : {amount}",
    },
    overdue: {
      heading: "La banque n’a pas encore répondu",
      title: "En attente de la banque : {amount}",
    },
    paid: { heading: "Paiement effectué", title: "Payé : {amount}" },
    declined: { heading: "Paiement refusé", title: "Refusé : {amount}" },
    canceled: { heading: "Paiement annulé", title: "Annulé : {amount}" },
    expired: { heading: "Cette page de paiement a expiré", title: "Expirée : {amount}" },
  },
  processing:
    "Cela prend un instant. La page se recharge d’elle-même : inutile de payer à nouveau.",
  atBank:
    "Votre banque vous demande de confirmer ce paiement. Cette page vous y conduit dans un instant, puis votre banque vous ramène ici.",
  returned: [
    "Votre banque n’a pas encore indiqué si vous avez confirmé le paiement. Cette page affichera le résultat dès qu’il sera connu : inutile de payer à nouveau.",
    "Si vous ne l’avez pas confirmé, continuez auprès de votre banque, ou annulez le paiement.",
  ],
  overdue: [
    "Inutile de payer à nouveau : le paiement se poursuit, et cette page affichera le résultat, même si vous revenez plus tard.",
    "Si vous ne souhaitez pas attendre, annulez-le. Si la banque vous débite malgré tout, vous serez remboursé.",
  ],
  paid: "Merci, votre paiement a bien été effectué.",
  canClose: "Vous pouvez fermer cette page.",
  notCharged: "Vous n’avez pas été débité.",
  chargeRequested:
    "Le paiement avait déjà été transmis à la banque. Si elle vous débite malgré tout, vous serez remboursé. Quelques jours peuvent s’écouler avant que cela apparaisse sur votre compte.",
  startAgain: {
    declined: {
      named:
        "Cette tentative est terminée. Pour payer, au besoin avec une autre carte, retournez chez {merchant} et recommencez.",
      unnamed:
        "Cette tentative est terminée. Pour payer, au besoin avec une autre carte, retournez chez le marchand et recommencez.",
    },
    canceled: {
      named: "Pour payer malgré tout, retournez chez {merchant} et recommencez.",
      unnamed: "Pour payer malgré tout, retournez chez le marchand et recommencez.",
    },
    expired: {
      named: "Pour payer, retournez chez {merchant} et recommencez.",
      unnamed: "Pour payer, retournez chez le marchand et recommencez.",
    },
  },
  reasons: {
    generic_decline: "Votre carte a été refusée.",
    insufficient_funds: "Les fonds de votre carte sont insuffisants pour ce paiement.",
    expired_card: "Votre carte a expiré.",
    authentication_required:
      "Votre banque vous demandait de confirmer ce paiement, et il n’a pas été confirmé.",
    test_mode_live_card: "Ceci est un paiement de test, qui n’accepte que les cartes de test.",
    canceled: "Le marchand a annulé ce paiement.",
    processing_error: "Le paiement n’a pas pu être traité pour le moment.",
  },

  paidAt: "Payé le",
  card: "Carte",
  cardEndingIn: "{brand} se terminant par {last4}",
  returnTo: { named: "Retourner chez {merchant}", unnamed: "Retourner chez le marchand" },
  returnsByItself: "Cette page y conduit d’elle-même dans quelques secondes.",
  continueAtBank: "Continuer vers votre banque",

  challenge: {
    heading: "Confirmer le paiement ?",
    title: "Confirmer {amount}",
    text: "Cette page tient lieu de banque du client. Une vraie banque demande ici à sa manière.",
    approve: "Confirmer",
    decline: "Refuser",
  },
  nothings: {
    gone: {
      title: "Cette page de paiement n’est pas disponible",
      paragraphs: [
        "Elle a expiré il y a quelque temps, ou son adresse est incomplète. L’ouvrir n’a rien débité.",
        "Pour payer, retournez chez le marchand et recommencez.",
      ],
    },
    refused: {
      title: "Cette requête a été refusée",
      paragraphs: [
        "Elle ne venait pas de la page de paiement elle-même : rien n’a été débité.",
        "Pour payer, ouvrez la page de paiement depuis le site du marchand.",
      ],
    },
    unavailable: {
      title: "La page de paiement n’est pas disponible pour le moment",
      paragraphs: [
        "Rechargez la page de paiement dans une minute.",
        "Rien n’est débité deux fois : un paiement déjà effectué y apparaît comme tel.",
      ],
    },
  },

  testMode: {
    title: "Mode test",
    text: "Aucun mouvement d’argent.",
    withCards: "Aucun mouvement d’argent, et seules les cartes de test sont acceptées.",
  },
  testCards: {
    title: "Cartes de test",
    text: "Avec une date d’expiration future et un code de sécurité quelconques.",
    card: "Carte",
    outcome: "Paiement",
    paid: "payé",
    declined: "refusé",
    asks: "demande une confirmation",
    refundDeclined: "remboursement refusé",
    refundSlow: "remboursement lent",
  },
};
