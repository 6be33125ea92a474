/** Maximum number of characters in a piece. */
export const PIECE = 8_192;

/** Splits a text into pieces, at the end of a line if possible. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (text.length - from > PIECE) {
    const end = text.lastIndexOf("\n", from + PIECE);
    const isLine = end > from;
    pieces.push(text.slice(from, isLine ? end : from + PIECE));
    from = isLine ? end + 1 : from + PIECE;
  }
  pieces.push(text.slice(from));
  return pieces;
}
