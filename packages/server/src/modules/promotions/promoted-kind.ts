/** One declaration for each kind of resource that an app promotes: how it is compared, and which write promotes it. */
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { AppPromote, PromotionKind, PromotionRow } from '@slipway/contract/promotion.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller } from '#kernel/http/handle.ts';
import type { CallInside } from '#kernel/http/inside.ts';

export interface PromotionDeps {
  readonly db: Db;
  readonly callInside: CallInside;
}
/** A resource by its name, which is the same in both environments. */
export interface At {
  readonly app: string;
  readonly name: string;
  readonly caller: Caller;
}
export type Difference = PromotionRow['differences'][number];

/** A resource of development, compared with production. Omitted fields are empty. */
export interface Compared extends Partial<Pick<PromotionRow, 'missingKeys' | 'notes' | 'blocked'>> {
  readonly isThere: boolean;
  readonly isChosen: boolean;
  readonly differences: readonly Difference[];
  /** Content of the fingerprint. */
  readonly seen: unknown;
  /** The write that promotes it. */
  write(part: Pick<AppPromote['parts'][number], 'fields' | 'entries'>): PromotingWrite;
}
export interface PromotingWrite {
  readonly route: RouteShape;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}
export interface PromotedKind {
  readonly kind: PromotionKind;
  readonly table: keyof DB & ('secret_group' | 'database' | 'event_schema' | 'topic' | 'account' | 'service');
  compare(deps: PromotionDeps, at: At): Promise<Compared>;
}
