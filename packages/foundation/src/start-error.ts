/** Explains to the operator why the program cannot start and what to do. Shown without a stack trace. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}
