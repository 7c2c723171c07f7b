/** One setting: a variable, its place in the configuration file, and its description. Helpers declare settings that exist several times. */
import type * as z from 'zod/mini';
import type { Value } from './value-kinds.ts';

export interface Setting<Type extends z.core.$ZodType = z.core.$ZodType> extends Value<Type> {
  /** Keys in the configuration file, joined by dots. Undefined for variables that the file replaces by references. */
  readonly path: string | undefined;
  /** Markdown for docs/configuration.md, after the default. */
  readonly about: string;
  /** Markdown for the default, if `fallback` does not say it. */
  readonly usually?: string;
  /** A variable whose value this one supplies. Set as a variable, it wins over the other's value in the file. */
  readonly supplies?: string;
  /** `own`: replicas on one database may differ. `worker`: only replicas that use the runtime must agree. */
  readonly shared?: 'own' | 'worker';
}
type More = Pick<Setting, 'usually' | 'shared' | 'supplies'>;

export const setting = <Type extends z.core.$ZodType>(
  path: string | undefined,
  value: Value<Type>,
  about: string,
  more: More = {},
): Setting<Type> => ({ path, ...value, about, ...more });

const ENVIRONMENTS = ['DEVELOPMENT', 'PRODUCTION'] as const;
export const REGIONS = ['WESTEUROPE', 'NORTHEUROPE', 'CENTRALUS'] as const;

/** Declares a setting for each suffix. Later ones refer to the first one's description. */
const forEach = <Prefix extends string, Suffix extends string, Type extends z.core.$ZodType>(
  prefix: Prefix,
  suffixes: readonly Suffix[],
  settingOf: (suffix: Suffix) => Setting<Type>,
): { readonly [Name in `${Prefix}_${Suffix}`]: Setting<Type> } =>
  Object.fromEntries(suffixes.map((suffix) => [`${prefix}_${suffix}`, settingOf(suffix)])) as {
    [Name in `${Prefix}_${Suffix}`]: Setting<Type>;
  };

/** Declares `PREFIX_DEVELOPMENT` and `PREFIX_PRODUCTION`. `*` in the path stands for the environment. */
export const forEnvironments = <Prefix extends string, Type extends z.core.$ZodType>(
  prefix: Prefix,
  path: string | undefined,
  value: Value<Type> | Readonly<Record<'DEVELOPMENT' | 'PRODUCTION', Value<Type>>>,
  about: string,
  more: More & { readonly suppliesPrefix?: string } = {},
) =>
  forEach(prefix, ENVIRONMENTS, (environment) => {
    const { suppliesPrefix, ...rest } = more;
    const supplies = suppliesPrefix === undefined ? {} : { supplies: `${suppliesPrefix}_${environment}` };
    return setting(path?.replace('*', environment.toLowerCase()), 'form' in value ? value : value[environment], about, {
      ...rest,
      ...supplies,
    });
  });

/** Declares `PREFIX_<REGION>` for each region. `*` in the path stands for the region. */
export const forRegions = <Prefix extends string, Type extends z.core.$ZodType>(
  prefix: Prefix,
  path: string,
  value: Value<Type>,
  about: string,
  more: More = {},
) => forEach(prefix, REGIONS, (region) => setting(path.replace('*', region), value, about, more));
