/** A section of evidence.txt: its statements, with the lines that continue them. */
interface Section {
  readonly code: string;
  readonly statements: string[];
}

/** The text of evidence.txt, in which the years of official lists can be replaced; all else stays as it is. */
export class EvidenceText {
  readonly #head: string;
  readonly #sections: Section[];

  constructor(text: string) {
    const [head, ...sections] = text.trimEnd().split(/\n\n*(?=\[[A-Z])/);
    this.#head = head!;
    this.#sections = sections.map(section => {
      const [heading, ...statements] = section.split(/\n(?! {2}\S)/);
      return { code: heading!.slice(1, -1), statements };
    });
  }

  /** The section with the evidence of a calendar: its own, or the one that it is the same as. */
  sectionOf(calendar: string): string {
    const own = this.#sections.find(({ code }) => code === calendar);
    const [, other] =
      /^same as (.+)$/.exec(own?.statements.find(line => line.startsWith('same as ')) ?? '') ?? [];
    return other ?? calendar;
  }

  /** Replaces the lists of a year by a line below a title, `list 2026-11 …`, which is added if there is none. */
  setYear(code: string, year: number, title: string, line: string): void {
    const { statements } = this.#section(code);
    removeYear(statements, year);
    let at = statements.findIndex(statement => unwrapped(statement) === title) + 1;
    if (at === 0) {
      at = statements.findLastIndex(statement => !/^(except|complete) /.test(statement)) + 1;
      statements.splice(at++, 0, wrapped(title));
    }
    while (LIST_YEAR.test(statements[at] ?? '') && statements[at]! < line) at++;
    statements.splice(at, 0, wrapped(line));
  }

  /** The section of a calendar, which is added in alphabetical order if there is none. */
  #section(code: string): Section {
    const found = this.#sections.find(section => section.code === code);
    if (found !== undefined) return found;
    const added = { code, statements: [] };
    const next = this.#sections.findIndex(section => section.code > code);
    this.#sections.splice(next === -1 ? this.#sections.length : next, 0, added);
    return added;
  }

  toString(): string {
    const sections = this.#sections.map(({ code, statements }) => [`[${code}]`, ...statements].join('\n'));
    return `${[this.#head, ...sections].join('\n\n')}\n`;
  }
}

const LIST_YEAR = /^\d{4}: /;

/** Removes the lines of a year below lists, and lists that have no other. */
function removeYear(statements: string[], year: number): void {
  let list: number | null = null;
  for (let index = 0; index < statements.length; index++) {
    const statement = statements[index]!;
    if (/^(law|list) /.test(statement)) list = statement.startsWith('list ') ? index : null;
    if (list === null || !statement.startsWith(`${year}: `)) continue;
    const isOnlyYear = list === index - 1 && !LIST_YEAR.test(statements[index + 1] ?? '');
    index -= statements.splice(isOnlyYear ? list : index, isOnlyYear ? 2 : 1).length;
  }
}

function unwrapped(statement: string): string {
  return statement.replaceAll(/\n +/g, ' ');
}

const WIDTH = 120;

/** A statement in lines of at most 120 characters, if its words are not longer. */
function wrapped(statement: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of statement.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= WIDTH || line === '') line = longer;
    else {
      lines.push(line);
      line = `  ${word}`;
    }
  }
  return [...lines, line].join('\n');
}
