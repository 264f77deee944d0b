/** The element inside `root` that a selector finds; the page has it, or it is a mistake of ours. */
export function one<Found extends HTMLElement = HTMLElement>(root: ParentNode, selector: string): Found {
  const found = root.querySelector<Found>(selector);
  if (found === null) throw new Error(`The page has no ${selector}`);
  return found;
}

/** Writes a text where it is not there already. */
export function write(root: ParentNode, selector: string, text: string): void {
  const element = one(root, selector);
  if (element.textContent !== text) element.textContent = text;
}

/** An element with a class and what is in it. */
export function make(name: string, className: string, ...content: (Node | string)[]): HTMLElement {
  const element = document.createElement(name);
  element.className = className;
  element.append(...content);
  return element;
}
