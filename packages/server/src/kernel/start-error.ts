/** Why the program cannot start, in words for whoever started it: what is wrong, and what to do. It is shown without a stack. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}
