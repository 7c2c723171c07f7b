/** Pages of topics and schemas in a manager elsewhere: an operator says what their addresses look like. */

export interface StreamingLinks {
  /** With `{topic}`, its name on the cluster, and `{env}` where the address tells environments apart. */
  readonly topic?: string | undefined;
  /** With `{subject}`, and `{env}`. */
  readonly schema?: string | undefined;
}
export interface LinkDeps {
  readonly links?: StreamingLinks | undefined;
}

/** Names are quoted for an address; what is not given stays as it stands. */
export const linkOf = (template: string | undefined, names: Readonly<Record<string, string>>): string | null =>
  template === undefined
    ? null
    : template.replace(/\{([a-z]+)\}/g, (whole, name: string) =>
        Object.hasOwn(names, name) ? encodeURIComponent(names[name] ?? '') : whole,
      );
