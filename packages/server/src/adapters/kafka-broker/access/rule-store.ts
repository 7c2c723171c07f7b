/** The access rules of one environment, in one file, with those of each user at hand. */
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
  /** Made from the state that it was made of last. */
  #byUser = new Map<string, AccessRule[]>();
  #madeOf: Rules | undefined;

  private constructor(kept: KeptState<Rules>) {
    this.#kept = kept;
  }

  static async open(file: string): Promise<RuleStore> {
    return new RuleStore(await KeptState.open<Rules>(file, (found) => (found === undefined ? { rules: [] } : RuleFile.parse(found))));
  }

  /** Those for the user, and those for everybody. */
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

  /** What is there already stays once. */
  create(created: readonly AccessRule[]): Promise<void> {
    return this.#kept.change((state) => {
      // Those of the same users are looked at, not all.
      const known = new Set([...new Set(created.map(({ user }) => user))].flatMap((user) => this.about(user)).map(keyOf));
      const added = created.filter((rule) => !known.has(keyOf(rule)) && known.add(keyOf(rule)));
      return { state: added.length === 0 ? state : { rules: [...state.rules, ...added] }, result: undefined };
    });
  }

  /** Answers for each filter what it has deleted. A rule that two filters mean is in the answer of both, as in Kafka. */
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
