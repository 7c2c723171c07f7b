/** Loads a script of another origin, which an administrator added. The values are its `data-` attributes. */
export const loadScript = (url: string, values: Readonly<Record<string, string>>, onError?: () => void): void => {
  const script = document.createElement('script');
  Object.assign(script.dataset, values);
  script.src = url;
  if (onError) script.addEventListener('error', onError);
  document.head.append(script);
};
