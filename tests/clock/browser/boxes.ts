import type { Box, FaceBoxes } from '../driver.ts';

/** Lines, text lines, and the rays beside the time, which are drawn behind the two frames. */
const WRITTEN =
  '.sc-line, .sc-figures, .sc-flaps, .sc-type, .sc-label > span, .sc-drawing.sc-frame > :nth-child(n + 3)';

/** The boxes of all text on a face, relative to its upper left corner. */
export function boxesOf(face: Element): FaceBoxes {
  const origin = face.getBoundingClientRect();
  const fromFace = (box: DOMRect): Box => ({
    left: box.left - origin.left,
    top: box.top - origin.top,
    right: box.right - origin.left,
    bottom: box.bottom - origin.top,
  });
  const lines: Record<string, Box> = {};
  for (const [index, line] of face.querySelectorAll(WRITTEN).entries()) {
    const ink = inkOf(line);
    if (ink !== undefined)
      lines[`${line.getAttribute('data-part') ?? line.getAttribute('class') ?? 'ray'} ${index}`] =
        fromFace(ink);
  }
  return { width: origin.width, height: origin.height, lines, capitals: capitalsOf(face) };
}

/** Capitals are 100 units high in the view box of their line, at any scale. */
function capitalsOf(face: Element): number {
  const letters = face.querySelector<SVGPathElement>('.sc-place path:not(.sc-unlit)');
  const isHidden = letters === null || letters.getClientRects().length === 0;
  return isHidden ? Number.POSITIVE_INFINITY : letters.getScreenCTM()!.d * 100;
}

/** The box of the visible part of a line. */
function inkOf(line: Element): DOMRect | undefined {
  if (!line.matches('svg')) return line.getBoundingClientRect();
  const boxes = [...line.querySelectorAll('path:not(.sc-unlit), text')]
    .map(part => part.getBoundingClientRect())
    .filter(({ width, height }) => width + height > 0);
  if (boxes.length === 0) return undefined;
  const [left, top] = [Math.min(...boxes.map(box => box.left)), Math.min(...boxes.map(box => box.top))];
  const [right, bottom] = [
    Math.max(...boxes.map(box => box.right)),
    Math.max(...boxes.map(box => box.bottom)),
  ];
  return new DOMRect(left, top, right - left, bottom - top);
}
