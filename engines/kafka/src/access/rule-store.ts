/** The access rules of one environment, in one file, indexed by user. */
import type { AccessRule } from '@slipway/contract/streaming/access-rules.ts';
import * as z from 'zod/mini';

import { KeptState } from '../state/kept-state.ts';
import { matchesFilter, type RuleFilter } from './rule-filter.ts';

const Rule = z.object({
  resource: z.string(),
  pattern: z.string(),
  name: z.string(),
  user: z.string(),
  host: z.string(),
  operation: z.string(),
  permission: z.enum(['allow', 'deny']),
});
const RuleFile = z.object({ rules: z.array(Rule) });

const keyOf = (rule: AccessRule): string =>
  JSON.stringify([rule.resource, rule.pattern, rule.name, rule.user, rule.host, rule.operation, rule.permission]);

interface Rules {
  readonly rules: readonly AccessRule[];
}

export class RuleStore {
  readonly #kept: KeptState<Rules>;
  /** Index of the rules. Rebuilt when the state is no longer `#madeOf`. */
  #byUser = new Map<string, AccessRule[]>();
  #madeOf: Rules | undefined;

  private constructor(kept: KeptState<Rules>) {
    this.#kept = kept;
  }

  static async open(file: string): Promise<RuleStore> {
    return new RuleStore(await KeptState.open<Rules>(file, (found) => (found === undefined ? { rules: [] } : RuleFile.parse(found))));
  }

  /** Returns the rules for the user and those for all users. */
  about(user: string): readonly AccessRule[] {
    if (this.#madeOf !== this.#kept.value) {
      this.#madeOf = this.#kept.value;
      this.#byUser = Map.groupBy(this.#madeOf.rules, (rule) => rule.user);
    }
    const own = this.#byUser.get(user) ?? [];
    const everybody = user === '*' ? [] : (this.#byUser.get('*') ?? []);
    return everybody.length === 0 ? own : [...own, ...everybody];
  }

  matching(filter: RuleFilter): AccessRule[] {
    return this.#kept.value.rules.filter((rule) => matchesFilter(filter, rule));
  }

  /** Adds rules. Skips duplicates. */
  create(created: readonly AccessRule[]): Promise<void> {
    return this.#kept.change((state) => {
      // Compares only with rules of the same users.
      const known = new Set([...new Set(created.map(({ user }) => user))].flatMap((user) => this.about(user)).map(keyOf));
      const added = created.filter((rule) => !known.has(keyOf(rule)) && known.add(keyOf(rule)));
      return { state: added.length === 0 ? state : { rules: [...state.rules, ...added] }, result: undefined };
    });
  }

  /** Returns the deleted rules of each filter. As in Kafka, a rule that matches two filters is in both results. */
  delete(filters: readonly RuleFilter[]): Promise<AccessRule[][]> {
    return this.#kept.change((state) => {
      const result = filters.map((filter) => state.rules.filter((rule) => matchesFilter(filter, rule)));
      const gone = new Set(result.flat());
      return { state: gone.size === 0 ? state : { rules: state.rules.filter((rule) => !gone.has(rule)) }, result };
    });
  }

  close(): Promise<void> {
    return this.#kept.settled();
  }
}
