/**
 * The characters from the space to `~` in five by seven dots, as on common display modules: five columns from the left, of two
 * hexadecimal digits each; bit 0 is at the top.
 */
const COLUMNS =
  '000000000000005f00000007000700147f147f14242a7f2a12231308646236495620500005030000' +
  '001c2241000041221c002a1c7f1c2a08083e08080050300000080808080800606000002010080402' +
  '3e5149453e00427f400042615149462141454b311814127f1027454545393c4a4949300171090503' +
  '3649494936064949291e003636000000563600000814224100141414141400412214080201510906' +
  '324979413e7e1111117e7f494949363e414141227f4141221c7f494949417f090909013e4149497a' +
  '7f0808087f00417f41002040413f017f081422417f404040407f020c027f7f0408107f3e4141413e' +
  '7f090909063e4151215e7f09192946464949493101017f01013f4040403f1f2040201f3f4038403f' +
  '631408146307087008076151494543007f41410002040810200041417f0004020102044040404040' +
  '000102040020545454787f484444383844444420384444487f3854545418087e0901020c5252523e' +
  '7f0804047800447d40002040443d007f1028440000417f40007c041804787c080404783844444438' +
  '7c14141408081414187c7c080404084854545420043f4440203c4040207c1c2040201c3c4030403c' +
  '44281028440c5050503c4464544c44000836410000007f000000413608001008081008';

const COLUMNS_PER_CHARACTER = 5;
const ROWS = 7;

/** The dots of a character, as columns (0–4) and rows (0–6); an unknown character is a question mark. */
export function dotsOf(character: string): readonly (readonly [column: number, row: number])[] {
  const code = character.charCodeAt(0);
  const first = ((code >= 32 && code < 127 ? code : 63) - 32) * COLUMNS_PER_CHARACTER;
  const dots: [number, number][] = [];
  for (let column = 0; column < COLUMNS_PER_CHARACTER; column++) {
    const at = (first + column) * 2;
    const bits = Number.parseInt(COLUMNS.slice(at, at + 2), 16);
    for (let row = 0; row < ROWS; row++) if (bits & (1 << row)) dots.push([column, row]);
  }
  return dots;
}

/** Distances from one character to the next, in dots. */
const [ADVANCE, NARROW_ADVANCE] = [6, 4];

/** A character as its advance and a path: each dot is a line of length 0 with round caps, centred at whole coordinates. */
export function dotGlyph(character: string): string {
  if (character === ' ') return String(ADVANCE);
  const isColon = character === ':';
  const path = dotsOf(character).map(([column, row]) => `M${isColon ? column - 1 : column} ${row}h0`);
  return (isColon ? NARROW_ADVANCE : ADVANCE) + path.join('');
}
