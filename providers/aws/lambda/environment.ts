import * as z from 'zod';

/** Reads the environment of a function; throws with every variable that is missing or malformed, without its value. */
export function readEnvironment<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  environment: NodeJS.ProcessEnv = process.env,
): z.infer<z.ZodObject<Shape>> {
  // Read once in a process, for which zod would compile a reader of its own.
  const parsed = z.object(shape).safeParse(environment, { jitless: true });
  if (!parsed.success) {
    throw new Error(
      `The function's environment is incomplete; deploy it with the stack in cdk/:\n${z.prettifyError(parsed.error)}`,
    );
  }
  return parsed.data;
}
