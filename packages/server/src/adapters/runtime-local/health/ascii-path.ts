/** A path as it may stand in a request. What is escaped already stays so; Node throws at letters that are none of ASCII. */
export const asciiPath = (path: string): string => path.replaceAll(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed()));
