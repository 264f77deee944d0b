import { Html } from '@elysiajs/html';

interface HeadingProps {
  /** Of the section, which the heading names. */
  readonly id: string;
  readonly text: string;
  readonly level: 2 | 3;
}

/** The heading of a section, which is a link to it. */
export function Heading({ id, text, level }: HeadingProps): JSX.Element {
  const link = (
    <a class="anchor" href={`#${id}`} safe>
      {text}
    </a>
  );
  return level === 2 ? <h2 id={`${id}-title`}>{link}</h2> : <h3 id={`${id}-title`}>{link}</h3>;
}
