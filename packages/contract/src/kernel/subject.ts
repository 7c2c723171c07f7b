/**
 * What pipelines, activity, live hints, rights and links are about, in one form for everything that the platform knows. A kind is
 * declared once, by its area, in a file `….kind.ts`; whatever needs all of them asks kinds.ts.
 */
import type { Access } from './kernel.ts';

export interface Subject {
  /** A declared kind: `service`. */
  readonly kind: string;
  /** Its address, name by name: `{ app: 'berth', env: 'development', service: 'berth-api' }`. */
  readonly names: Readonly<Record<string, string>>;
  /** The team that it belongs to, which decides who may step in. No part of the address: it may change. */
  readonly team?: string | undefined;
  /** Ids of the rows that it and what it lies in have now, by kind. A name can be given again, an id cannot. */
  readonly ids?: Readonly<Record<string, string>> | undefined;
}

export interface KindShape<Name extends string = string> {
  /** A word of the API, once: `secretGroup`. */
  readonly kind: string;
  readonly label: string;
  readonly plural: string;
  /** What it lies in: its lists of pipelines and activity show this, too. */
  readonly under?: Kind | undefined;
  /**
   * What its address adds to that of `under`, called as the parameters of its routes; the last is its own name. Without any, it is only
   * heard of in hints.
   */
  readonly names: readonly Name[];
  /** Further kinds whose lists show it. A subject carries their names beside its own. */
  readonly alsoUnder?: readonly Kind[];
  /** Who receives hints of its changes. Nobody receives a hint of something that they may not read. */
  readonly access: Access;
  /** How the ids of the routes begin whose answers show it. */
  readonly shownBy: readonly string[];
  /** Its page in the console, with `{name}` for each name; else what it lies in has one. */
  readonly path?: string;
  /** The page that lists all of them, and the one that makes one; with the names of what they lie in. */
  readonly listPath?: string;
  readonly newPath?: string;
  /** The page of one of its pipelines, where that is not the page for all: with `{pipelineId}`. */
  readonly pipelinePath?: string;
  /** What pipelines about it do, by type, in words. */
  readonly pipelines?: Readonly<Record<string, string>>;
}
export interface Kind<Name extends string = string> extends KindShape {
  /** The whole address, from the outside in. */
  readonly address: readonly Name[];
}

export const declareKind = <const Name extends string, Above extends string = never>(
  shape: KindShape<Name> & { readonly under?: Kind<Above> | undefined },
): Kind<Name | Above> => ({ ...shape, address: [...(shape.under?.address ?? []), ...shape.names] });

/** `subjectOf(serviceKind, { app, env, service }, { team, ids: { service: row.id } })`. Further names are kept. */
export const subjectOf = <Name extends string>(
  kind: Kind<Name>,
  names: Readonly<Record<Name, string>> & Readonly<Record<string, string>>,
  { team, ids }: Pick<Subject, 'team' | 'ids'> = {},
): Subject => ({ kind: kind.kind, names, team, ids });
