/** Marks the link to the section in view. */
export function followContents(contents: HTMLElement): void {
  const links = new Map<Element, HTMLAnchorElement>();
  for (const link of contents.querySelectorAll('a')) {
    const section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (section) links.set(section, link);
  }
  const visible = new Set<Element>();
  const mark = () => {
    const [current] = [...links.keys()].filter(section => visible.has(section));
    for (const [section, link] of links) link.ariaCurrent = section === current ? 'true' : null;
  };
  const observer = new IntersectionObserver(
    entries => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) visible.add(target);
        else visible.delete(target);
      }
      mark();
    },
    { rootMargin: '-15% 0px -70% 0px' },
  );
  for (const section of links.keys()) observer.observe(section);
}
