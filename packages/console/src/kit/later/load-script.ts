/** Loads a script of another origin, which an administrator added. The values are its `data-` attributes. */
export const loadScript = (url: string, values: Readonly<Record<string, string>>): void => {
  const script = document.createElement('script');
  Object.assign(script.dataset, values);
  script.src = url;
  document.head.append(script);
};
