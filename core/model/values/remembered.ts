/**
 * Remembers what was worked out of a value, for as long as the value lives: an observation that is read again, or given
 * to scale-up and to scale-down, costs nothing the second time. The value must never change; none of the model does.
 */
export function rememberedOf<A extends object, B>(of: (given: A) => B): (given: A) => B {
  const known = new WeakMap<A, { readonly answer: B }>();
  return (given) => {
    let found = known.get(given);
    if (found === undefined) {
      found = { answer: of(given) };
      known.set(given, found);
    }
    return found.answer;
  };
}
