/** The folder in which the command's files seem to lie inside the executable. */
export const root = "/payments.executable/";
