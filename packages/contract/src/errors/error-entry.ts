/** An error of the catalogue. The error's context fills in `{name}` of the message. */
export interface ErrorEntry {
  readonly status: number;
  readonly message: string;
}
