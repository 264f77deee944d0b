import { once } from '../../common/caching.ts';
import { copyText, loadAssets, makeButton, one, whenNear, write } from './page.ts';

/** Runs the reference: table of contents, search, collapsing on small screens, and copy buttons for examples. */
export function runContents(contents: HTMLElement): void {
  const sections = [...document.querySelectorAll<HTMLElement>('#content section[id]')];
  followContents(contents);
  searchSections(contents, sections);
  if (matchMedia(SMALL_SCREEN).matches) {
    foldSections(sections);
    for (const group of contents.querySelectorAll('details')) group.open = false;
  }
  for (const block of document.querySelectorAll<HTMLElement>('#content pre.json')) offerCopy(block);
  // Without the script of the example clocks, the page is an eighth smaller.
  whenNear(document.querySelectorAll('[data-runs-clocks] .example-clock'), loadAssets);
  contents.closest('.docs')!.classList.add('is-folded');
}

const SMALL_SCREEN = '(max-width: 48rem)';

/** The element that the fragment of a URL names. */
function targetOf({ hash }: { readonly hash: string }): HTMLElement | null {
  return document.getElementById(decodeURIComponent(hash.slice(1)));
}

/** Hides the sections, and the links to them, that lack any of the typed words. */
function searchSections(contents: HTMLElement, sections: readonly HTMLElement[]): void {
  const field = one<HTMLInputElement>(contents, '[data-docs-search]');
  /** Computed on the first search. */
  const texts = once(() => new Map(sections.map(section => [section, section.textContent.toLowerCase()])));
  const parts = [...document.querySelectorAll<HTMLElement>('#content > .part')];
  const search = () => {
    const words = field.value.toLowerCase().match(/\S+/g) ?? [];
    const found = sections.filter(section => words.every(word => texts().get(section)!.includes(word)));
    const ids = new Set(found.map(({ id }) => id));
    for (const section of sections) section.hidden = !ids.has(section.id);
    for (const part of parts) part.hidden = words.length > 0;
    if (words.length > 0) for (const group of contents.querySelectorAll('details')) group.open = true;
    for (const link of contents.querySelectorAll('a')) {
      link.parentElement!.hidden = !ids.has(decodeURIComponent(link.hash.slice(1))); // links are in list items
    }
    const isAll = words.length === 0;
    write(contents, '[data-docs-found]', isAll ? '' : `${found.length} of ${sections.length} sections`);
  };
  field.addEventListener('input', search);
  document.addEventListener('keydown', event => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    field.focus();
  });
  // A link to a section must work even if the search hides the section.
  addEventListener('hashchange', () => {
    const target = targetOf(location);
    if (!target?.closest('[hidden]')) return;
    field.value = '';
    search();
    target.scrollIntoView();
  });
}

/** Collapses all sections except the one in the URL: a small screen shows their titles, each with a button. */
function foldSections(sections: readonly HTMLElement[]): void {
  const fold = (section: HTMLElement, isFolded: boolean) => {
    section.classList.toggle('folded', isFolded);
    section.querySelector(':scope .fold-button')?.setAttribute('aria-expanded', String(!isFolded));
  };
  for (const section of sections) {
    const title = section.querySelector('h2, h3');
    if (title === null) continue;
    const button = makeButton('', () => fold(section, !section.classList.contains('folded')));
    button.classList.add('fold-button');
    button.ariaLabel = `Show ${title.textContent}`;
    title.append(button);
    fold(section, `#${section.id}` !== location.hash);
  }
  addEventListener('hashchange', () => {
    const target = targetOf(location);
    const section = target?.closest<HTMLElement>('section[id]');
    if (!section) return;
    fold(section, false);
    target?.scrollIntoView();
  });
}

/** Adds a copy button above a code block. The clipboard exists only in secure contexts: TLS or loopback. */
function offerCopy(block: HTMLElement): void {
  if (!isSecureContext) return;
  const button = makeButton('Copy', () => copyText(block.textContent, button));
  button.classList.add('copy-block');
  const title =
    block.closest('details')?.querySelector('summary') ?? block.closest('section')?.querySelector('h2, h3');
  button.ariaLabel = `Copy ${title?.textContent ?? 'the code'}`;
  block.before(button);
}

/** Marks the link to the section in view. */
function followContents(contents: HTMLElement): void {
  const links = new Map<Element, HTMLAnchorElement>();
  for (const link of contents.querySelectorAll('a')) {
    const section = targetOf(link);
    if (section) links.set(section, link);
  }
  const visible = new Set<Element>();
  const observer = new IntersectionObserver(
    entries => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) visible.add(target);
        else visible.delete(target);
      }
      const current = links.keys().find(section => visible.has(section));
      for (const [section, link] of links) link.ariaCurrent = section === current ? 'true' : null;
    },
    { rootMargin: '-15% 0px -70% 0px' },
  );
  for (const section of links.keys()) observer.observe(section);
}
