import type { TestCard } from "../../../../contract/card.ts";
import type { DeclineCode } from "../../../../contract/field-values.ts";

/** The languages in which the pages are written. */
export type Language = "en" | "de" | "fr" | "es" | "it" | "nl";
type InEachLanguage = Record<Language, string>;

/** Why a payment failed, for its customer. Who canceled it, or let it expire, knows. */
const reasons = {
  generic_decline: {
    en: "Your card was declined.",
    de: "Ihre Karte wurde abgelehnt.",
    fr: "Votre carte a été refusée.",
    es: "Su tarjeta ha sido rechazada.",
    it: "La tua carta è stata rifiutata.",
    nl: "Je kaart is geweigerd.",
  },
  insufficient_funds: {
    en: "Your card has insufficient funds for this payment.",
    de: "Ihre Karte ist für diese Zahlung nicht ausreichend gedeckt.",
    fr: "Les fonds de votre carte sont insuffisants pour ce paiement.",
    es: "Su tarjeta no tiene fondos suficientes para este pago.",
    it: "La tua carta non ha fondi sufficienti per questo pagamento.",
    nl: "Er staat niet genoeg saldo op je kaart.",
  },
  expired_card: {
    en: "Your card has expired.",
    de: "Ihre Karte ist abgelaufen.",
    fr: "Votre carte a expiré.",
    es: "Su tarjeta ha caducado.",
    it: "La tua carta è scaduta.",
    nl: "Je kaart is verlopen.",
  },
  authentication_required: {
    en: "The payment was not confirmed with your bank.",
    de: "Die Zahlung wurde bei Ihrer Bank nicht bestätigt.",
    fr: "Le paiement n’a pas été confirmé auprès de votre banque.",
    es: "El pago no se ha confirmado en su banco.",
    it: "Il pagamento non è stato confermato con la tua banca.",
    nl: "De betaling is niet bij je bank bevestigd.",
  },
  test_mode_live_card: {
    en: "This is a test payment. Only test cards are accepted.",
    de: "Dies ist eine Testzahlung. Es werden nur Testkarten akzeptiert.",
    fr: "Ceci est un paiement de test. Seules les cartes de test sont acceptées.",
    es: "Este es un pago de prueba. Solo se aceptan tarjetas de prueba.",
    it: "Questo è un pagamento di prova. Sono accettate solo carte di prova.",
    nl: "Dit is een testbetaling. Alleen testkaarten worden geaccepteerd.",
  },
  canceled: {
    en: "The merchant canceled this payment.",
    de: "Der Händler hat diese Zahlung storniert.",
    fr: "Le marchand a annulé ce paiement.",
    es: "El comercio ha cancelado este pago.",
    it: "L’esercente ha annullato questo pagamento.",
    nl: "De verkoper heeft deze betaling geannuleerd.",
  },
  processing_error: {
    en: "The payment could not be processed at the moment.",
    de: "Die Zahlung konnte im Moment nicht bearbeitet werden.",
    fr: "Le paiement n’a pas pu être traité pour le moment.",
    es: "El pago no se ha podido procesar en este momento.",
    it: "Al momento non è stato possibile elaborare il pagamento.",
    nl: "De betaling kon op dit moment niet worden verwerkt.",
  },
} satisfies Record<Exclude<DeclineCode, "hpp_expired" | "customer_canceled">, InEachLanguage>;

/** How the test cards are declined, but for the one whose customer is asked before. */
const testReasons = {
  generic_decline: {
    en: "no reason given",
    de: "ohne Angabe von Gründen",
    fr: "sans motif indiqué",
    es: "sin motivo indicado",
    it: "senza motivo indicato",
    nl: "zonder opgave van reden",
  },
  insufficient_funds: {
    en: "insufficient funds",
    de: "nicht gedeckt",
    fr: "fonds insuffisants",
    es: "fondos insuficientes",
    it: "fondi insufficienti",
    nl: "onvoldoende saldo",
  },
  expired_card: {
    en: "expired card",
    de: "Karte abgelaufen",
    fr: "carte expirée",
    es: "tarjeta caducada",
    it: "carta scaduta",
    nl: "kaart verlopen",
  },
  processing_error: {
    en: "processing error",
    de: "Verarbeitungsfehler",
    fr: "erreur de traitement",
    es: "error de procesamiento",
    it: "errore di elaborazione",
    nl: "verwerkingsfout",
  },
} satisfies Record<
  Exclude<TestCard["outcome"], "succeeded" | "authentication_required">,
  InEachLanguage
>;

/** The words of all decline codes in one language. */
export function getDeclineWords(language: Language) {
  return {
    reasons: chooseLanguage(reasons, language),
    testReasons: chooseLanguage(testReasons, language),
  };
}

function chooseLanguage<Code extends string>(
  texts: Record<Code, InEachLanguage>,
  language: Language,
) {
  const entries = Object.entries<InEachLanguage>(texts).map(([code, text]) => [
    code,
    text[language],
  ]);
  return Object.fromEntries(entries) as Record<Code, string>;
}
