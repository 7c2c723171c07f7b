/** The command that created a layer, without the shell, markers and white space that builders add. */

/** `/bin/sh -c #(nop)  CMD ["node"]` → `CMD ["node"]`, `RUN /bin/sh -c npm ci # buildkit` → `RUN npm ci`. */
export const layerCommand = (command: string): string => {
  const text = command.replaceAll(/\s+/g, ' ').trim();
  const nop = text.indexOf('#(nop)');
  if (nop !== -1) return text.slice(nop + '#(nop)'.length).trim();
  const bare = text.replace(/ # buildkit$/, '');
  if (bare.startsWith('RUN /bin/sh -c ')) return `RUN ${bare.slice('RUN /bin/sh -c '.length)}`;
  return bare.startsWith('/bin/sh -c ') ? `RUN ${bare.slice('/bin/sh -c '.length)}` : bare;
};
