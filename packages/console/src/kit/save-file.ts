/** Saves a blob as a file in the browser. */

/** After this many milliseconds the browser has read the file, and its URL can be revoked. */
const takenMs = 10_000;

export const saveFile = (content: Blob, name: string): void => {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), takenMs);
};
