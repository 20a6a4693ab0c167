import { itemAt } from '@outrigger/core/model/values/existing.ts';
import { type Document, documentSize, writeDocument } from '../compressed/document.ts';

/** The share of the limit to fill: the remaining text may compress slightly worse than the whole. */
const FILLED = 0.95;

interface ShortenedDocument {
  readonly text: string;
  readonly document: Document;
  /** Number of the given parts that are not in it. */
  readonly leftOut: number;
}

/**
 * Writes a text without as many parts as necessary to fit. Their number is estimated from the compression ratio, so
 * that a few attempts are enough however many parts there are.
 *
 * @param sizes of the parts in characters, in the order in which they are left out
 * @param textWithout the text without the first `leftOut` parts
 * @returns `null` where the text does not fit without any parts
 */
export async function leaveOut(
  sizes: readonly number[],
  textWithout: (leftOut: number) => string,
  maxBytes: number,
): Promise<ShortenedDocument | null> {
  for (let leftOut = 0; ;) {
    const text = textWithout(leftOut);
    const document = await writeDocument(text);
    const size = documentSize(document);
    if (size <= maxBytes) {
      return { text, document, leftOut };
    }
    if (leftOut === sizes.length) {
      return null;
    }
    let excess = text.length * (1 - (FILLED * maxBytes) / size);
    do {
      excess -= itemAt(sizes, leftOut);
      leftOut += 1;
    } while (excess > 0 && leftOut < sizes.length);
  }
}
