/** The version of this program: in answers of the API, and in what it writes for later versions to read. */
export const version = '0.1.0';
