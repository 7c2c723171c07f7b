/** The form of a blank service: what is asked for, and the service that is meant by it. */
import { Environment } from '@slipway/contract/fields.ts';
import { serviceNameRule } from '@slipway/contract/quickstart.ts';
import { ServiceCreate } from '@slipway/contract/service-change.ts';
import { newServiceSpec } from '@slipway/contract/service-spec.ts';
import * as z from 'zod/mini';

/** In the shape of what is sent, so that the server's errors find their fields. */
export interface BlankValues {
  environment: Environment;
  name: string;
  githubRepositoryName: string;
  spec: {
    /** Below the app's registry project; empty is the service's own name. */
    containerImageName: string;
    exposedPort: number | null;
    resources: { cpuMillicores: number | null; memoryMegabytes: number | null };
    template: { healthCheck: { http: { path: string } } };
  };
}

/** A whole reference, with tag or digest, means the repository in it. */
export const imageBelow = (prefix: string, text: string): string =>
  (text.trim().startsWith(prefix) ? text.trim().slice(prefix.length) : text.trim()).replace(/@.*$|:[^/]*$/, '');

export const blankDefaults = (app: string, environment: Environment): BlankValues => {
  const { exposedPort, resources, template } = newServiceSpec('');
  return {
    environment,
    name: `${app}-`,
    githubRepositoryName: '',
    spec: { containerImageName: '', exposedPort, resources, template: { healthCheck: { http: { path: template.healthCheck.http.path } } } },
  };
};

const Asked = z.object({
  environment: Environment,
  name: z.string(),
  githubRepositoryName: z.string(),
  spec: z.object({
    containerImageName: z.string(),
    exposedPort: z.nullable(z.number()).check(z.refine((value) => value !== null, { error: 'Required' })),
    resources: z.object({
      cpuMillicores: z.nullable(z.number()).check(z.refine((value) => value !== null, { error: 'Required' })),
      memoryMegabytes: z.nullable(z.number()).check(z.refine((value) => value !== null, { error: 'Required' })),
    }),
    template: z.object({ healthCheck: z.object({ http: z.object({ path: z.string() }) }) }),
  }),
});

/** `prefix` is `{host}/{app}/`. The checks go to the port that the container listens on. */
const meant = (prefix: string, { name, githubRepositoryName, spec: asked }: BlankValues): z.input<typeof ServiceCreate> => {
  const image = imageBelow(prefix, asked.containerImageName) || name.trim();
  const spec = newServiceSpec(`${prefix}${image}`);
  const port = asked.exposedPort ?? spec.template.healthCheck.http.port;
  const { healthCheck } = spec.template;
  return {
    name,
    githubRepositoryName: githubRepositoryName.trim() || null,
    spec: {
      ...spec,
      exposedPort: port,
      resources: {
        cpuMillicores: asked.resources.cpuMillicores ?? spec.resources.cpuMillicores,
        memoryMegabytes: asked.resources.memoryMegabytes ?? spec.resources.memoryMegabytes,
      },
      template: {
        ...spec.template,
        healthCheck: {
          ...healthCheck,
          http: { port, path: asked.template.healthCheck.http.path.trim() },
          tcp: { port },
        },
      },
    },
  };
};

export type MeantService = z.output<typeof ServiceCreate> & { environment: Environment };

export const blankSchema = (app: string, prefix: string): z.ZodMiniType<MeantService, BlankValues> =>
  z.pipe(
    Asked,
    z.pipe(
      z.transform((values: BlankValues) => ({ ...meant(prefix, values), environment: values.environment })),
      z.extend(ServiceCreate, { environment: Environment }).check(
        z.refine(({ name }) => serviceNameRule(app, name) === true, {
          path: ['name'],
          error: 'ServiceNameMustStartWithApplicationName',
        }),
      ),
    ),
  );
