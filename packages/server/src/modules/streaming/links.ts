/** Links to topics and schemas in an external manager, configured by the operator. */

export interface StreamingLinks {
  /** URL with `{topic}`, the name on the cluster, and optionally `{env}`. */
  readonly topic?: string | undefined;
  /** URL with `{subject}`, and optionally `{env}`. */
  readonly schema?: string | undefined;
}
export interface LinkDeps {
  readonly links?: StreamingLinks | undefined;
}

/** Fills in the URL-encoded names. Unknown placeholders stay unchanged. */
export const linkOf = (template: string | undefined, names: Readonly<Record<string, string>>): string | null =>
  template === undefined
    ? null
    : template.replace(/\{([a-z]+)\}/g, (whole, name: string) =>
        Object.hasOwn(names, name) ? encodeURIComponent(names[name] ?? '') : whole,
      );
