/** The form of a copy: where to, under which name, with which image, and what of the differences stays behind. */
import { Environment, ServiceName } from '@slipway/contract/fields.ts';
import { serviceNameRule } from '@slipway/contract/quickstart.ts';
import { ServiceCopy, serviceCopy } from '@slipway/contract/service-change.ts';
import type { Service } from '@slipway/contract/service.ts';
import { toast } from '@slipway/ui/toast.ts';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useNavigate } from 'react-router';
import * as z from 'zod/mini';
import { useWrite } from '#api/write.ts';
import { pipelinePath, type ServiceRef } from '#lib/paths.ts';
import { usePlannedForm, type PlannedForm } from '#lib/use-planned-form.ts';
import { carryOf, leaveOut } from './comparison.ts';
import { useComparison, type Comparison, type CopyTarget } from './use-comparison.ts';

export interface CopyValues {
  environment: Environment;
  name: string;
  /** Empty: nothing is deployed. */
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

export interface CopyFormState {
  planned: PlannedForm<CopyValues>;
  /** Where the form points to now. */
  target: CopyTarget;
  /** The target is the source. */
  isItself: boolean;
  comparison: Comparison;
  /** Paths that stay behind. */
  left: ReadonlySet<string>;
  leave: (paths: readonly string[], isCarried: boolean) => void;
}

const isName = (app: string, name: string): boolean => ServiceName.safeParse(name).success && serviceNameRule(app, name) === true;

export const useCopyForm = (place: ServiceRef & { env: Environment }, source: Service): CopyFormState => {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const copy = useWrite(serviceCopy);
  const navigate = useNavigate();
  const planned = usePlannedForm<CopyValues, Asked>({
    schema: schemaFor(place),
    defaultValues: { environment: place.env === 'production' ? 'development' : 'production', name: place.service, imageTag: '' },
    labels: { environment: 'To', name: 'Service name', imageTag: 'Container image tag' },
    send: (values, isDryRun) =>
      copy.send({
        params: { ...place },
        ...(isDryRun ? { query: { dryRun: 'true' } } : {}),
        body: { ...values, carry: carryOf(comparison.changes ?? [], left), overwrite: Boolean(comparison.existing) },
      }),
    onStarted: async (run, { name, environment }) => {
      toast.success(`${place.service} is being copied to ${name} in ${environment}`);
      await navigate(pipelinePath(run));
    },
  });
  const [environment, name] = useWatch({ control: planned.form.control, name: ['environment', 'name'] });
  const target = { environment, name };
  const isItself = environment === place.env && name === place.service;
  const comparison = useComparison(place, source, isName(place.app, name) && !isItself ? target : undefined);
  return {
    planned,
    target,
    isItself,
    comparison,
    left,
    leave: (paths, isCarried) => setLeft((before) => leaveOut(before, paths, isCarried)),
  };
};
