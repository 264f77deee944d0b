const turns = new WeakMap<Element, object>();

/**
 * Begins a work that will be shown in a place. The function that it yields tells whether nothing was begun there since:
 * answers may come in another order than their questions, and an older one is not to be shown last.
 */
export function takeTurn(place: Element): () => boolean {
  const turn = {};
  turns.set(place, turn);
  return () => turns.get(place) === turn;
}
