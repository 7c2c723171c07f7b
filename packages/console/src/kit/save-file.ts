/** Hands something to the browser to save under a name. */

/** The browser has taken the file by then. */
const takenMs = 10_000;

export const saveFile = (content: Blob, name: string): void => {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), takenMs);
};
