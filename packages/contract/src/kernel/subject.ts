/**
 * One form for the subjects of pipelines, activity, live hints, rights and links. Each area declares its kinds once, in a file `….kind.ts`;
 * code that needs all kinds uses kinds.ts.
 */
import type { Access } from './kernel.ts';

export interface Subject {
  /** A declared kind: `service`. */
  readonly kind: string;
  /** Its address, by parameter name: `{ app: 'berth', env: 'development', service: 'berth-api' }`. */
  readonly names: Readonly<Record<string, string>>;
  /** The owning team, which decides access. Not part of the address, because it can change. */
  readonly team?: string | undefined;
  /** Current row ids of the subject and its parents, by kind. A name can be reused, an id cannot. */
  readonly ids?: Readonly<Record<string, string>> | undefined;
}

export interface KindShape<Name extends string = string> {
  /** The word for it in the API: `secretGroup`. */
  readonly kind: string;
  readonly label: string;
  readonly plural: string;
  /** Parent kind. The parent's lists of pipelines and activity show this kind, too. */
  readonly under?: Kind | undefined;
  /** Path parameters that its address adds to the parent's; the last is its own name. A kind without any exists only in hints. */
  readonly names: readonly Name[];
  /** More kinds whose lists show it. A subject carries their names in addition to its own. */
  readonly alsoUnder?: readonly Kind[];
  /** Access that a recipient of its hints needs. Nobody receives a hint about something they may not read. */
  readonly access: Access;
  /** Prefixes of the ids of the routes whose answers show it. */
  readonly shownBy: readonly string[];
  /** Its page in the console, with `{name}` for each name. Without one, links lead to the parent's page. */
  readonly path?: string;
  /** The list page and the page that creates one, with the parent's names. */
  readonly listPath?: string;
  readonly newPath?: string;
  /** Page of one of its pipelines, with `{pipelineId}`, if it differs from the general pipeline page. */
  readonly pipelinePath?: string;
  /** Labels of its pipelines, by type. */
  readonly pipelines?: Readonly<Record<string, string>>;
  /** Names of its steps on engines, by code. Other names are in pipeline/steps.ts. */
  readonly steps?: Readonly<Record<string, string>>;
}
export interface Kind<Name extends string = string> extends KindShape {
  /** The full address, outermost name first. */
  readonly address: readonly Name[];
}

export const declareKind = <const Name extends string, Above extends string = never>(
  shape: KindShape<Name> & { readonly under?: Kind<Above> | undefined },
): Kind<Name | Above> => ({ ...shape, address: [...(shape.under?.address ?? []), ...shape.names] });

/** `subjectOf(serviceKind, { app, env, service }, { team, ids: { service: row.id } })`. Additional names are kept. */
export const subjectOf = <Name extends string>(
  kind: Kind<Name>,
  names: Readonly<Record<Name, string>> & Readonly<Record<string, string>>,
  { team, ids }: Pick<Subject, 'team' | 'ids'> = {},
): Subject => ({ kind: kind.kind, names, team, ids });
