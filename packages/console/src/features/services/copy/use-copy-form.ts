/** The form of a copy: target, name, image, and selected changes. */
import type { ServiceChange } from '@slipway/contract/pipeline/service-change.ts';
import type { FieldError } from '@slipway/contract/kernel/errors.ts';
import { Environment, ServiceName } from '@slipway/contract/kernel/fields.ts';
import { serviceNameRule } from '@slipway/contract/quickstart.ts';
import { ServiceCopy, serviceCopy } from '@slipway/contract/service/service-operations.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useNavigate } from 'react-router';
import * as z from 'zod/mini';
import { ResponseError } from '#kit/api/errors.ts';
import { useWrite } from '#kit/api/write.ts';
import { pipelinePath, type ServiceRef } from '#entities/paths.ts';
import { usePlannedForm, type PlannedForm } from '#entities/plan/use-planned-form.ts';
import { carryOf, withTicks, type Ticks } from './comparison.ts';
import { useComparison, type Comparison, type CopyTarget } from './use-comparison.ts';

export interface CopyValues {
  environment: Environment;
  name: string;
  /** Empty means that nothing is deployed. */
  imageTag: string;
}

type Asked = z.output<typeof ServiceCopy>;
const schemaFor = ({ app, env, service }: ServiceRef): z.ZodMiniType<Asked, CopyValues> =>
  z.pipe(
    z.object({ environment: Environment, name: z.string(), imageTag: z.string() }),
    z.pipe(
      z.transform(({ imageTag, ...rest }: CopyValues): z.input<typeof ServiceCopy> => ({ ...rest, imageTag: imageTag.trim() || null })),
      ServiceCopy.check(
        z.refine(({ name }) => serviceNameRule(app, name) === true, {
          path: ['name'],
          error: 'ServiceNameMustStartWithApplicationName',
        }),
        z.refine(({ environment, name }) => environment !== env || name !== service, { path: ['name'], error: 'CopyOntoItself' }),
      ),
    ),
  );

export type Refused = ReadonlyMap<string, FieldError>;

export interface CopyFormState {
  planned: PlannedForm<CopyValues>;
  /** The target that the form currently describes. */
  target: CopyTarget;
  /** True if source and target are the same service. */
  isItself: boolean;
  comparison: Comparison;
  ticks: Ticks;
  tick: (paths: readonly string[], value: boolean) => void;
  /** The server's errors for single changes, by path. */
  refused: Refused;
}

/** Returns the errors by path, or undefined if an error belongs to no line of the comparison. */
const linesOf = ({ errors }: ResponseError, changes: readonly ServiceChange[]): Refused | undefined => {
  const paths = new Set(changes.map(({ path }) => path));
  const found = new Map(errors.map((error) => [error.field ?? '', error]));
  return found.size > 0 && [...found.keys()].every((path) => paths.has(path)) ? found : undefined;
};

const isName = (app: string, name: string): boolean => ServiceName.safeParse(name).success && serviceNameRule(app, name) === true;

export const useCopyForm = (place: ServiceRef & { env: Environment }, source: Service): CopyFormState => {
  const [ticks, setTicks] = useState<Ticks>(new Map());
  const [refused, setRefused] = useState<Refused>(new Map());
  const copy = useWrite(serviceCopy);
  const navigate = useNavigate();
  const planned = usePlannedForm<CopyValues, Asked>({
    schema: schemaFor(place),
    defaultValues: { environment: place.env === 'production' ? 'development' : 'production', name: place.service, imageTag: '' },
    labels: { environment: 'To', name: 'Service name', imageTag: 'Container image tag' },
    send: async (values, isDryRun) => {
      setRefused(new Map());
      // Without a comparison nothing is selected. The comparison panel shows the reason.
      if (!comparison.plan) return undefined;
      const { changes } = comparison.plan;
      const body = { ...values, carry: carryOf(changes, ticks), overwrite: Boolean(comparison.existing) };
      try {
        return await copy.send({ params: { ...place }, ...(isDryRun ? { query: { dryRun: 'true' } } : {}), body });
      } catch (error) {
        const lines = error instanceof ResponseError ? linesOf(error, changes) : undefined;
        if (!lines) throw error;
        setRefused(lines);
        return undefined;
      }
    },
    onStarted: async (run, { name, environment }) => {
      toast.success(`${place.service} is being copied to ${name} in ${environment}`);
      await navigate(pipelinePath(run));
    },
  });
  const [environment, name] = useWatch({ control: planned.form.control, name: ['environment', 'name'] });
  const target = { environment, name };
  const isItself = environment === place.env && name === place.service;
  const comparison: Comparison = useComparison(place, source, isName(place.app, name) && !isItself ? target : undefined);
  return {
    planned,
    target,
    isItself,
    comparison,
    ticks,
    tick: (paths, value) => {
      setTicks((before) => withTicks(before, paths, value));
      setRefused((before) => new Map([...before].filter(([path]) => !paths.includes(path))));
    },
    refused,
  };
};
