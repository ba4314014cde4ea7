/** How many columns of a screen a text takes, its colours left out. */
declare function stringWidth(text: string): number;
export = stringWidth;
