/** A running revision and its instances, scaled to the wanted number. */
import { instanceEvent } from '@slipway/contract/service/instance-event.ts';
import { mapLimited } from '@slipway/foundation/map-limited.ts';
import type { RevisionSpec } from '@slipway/foundation/ports/runtime.ts';
import { Instance } from './instance/instance.ts';
import type { InstanceContext } from './instance/instance-context.ts';
import { revisionRef } from './revision-names.ts';

export class RunningRevision {
  readonly spec: RevisionSpec;
  readonly #context: InstanceContext;
  readonly #wanted: Instance[] = [];
  /** Stopping instances, tracked until they are gone. */
  readonly #leaving = new Set<Instance>();
  /** Undefined until the first `scale`. */
  #replicas: number | undefined;

  constructor(spec: RevisionSpec, context: InstanceContext) {
    this.spec = spec;
    this.#context = context;
  }

  get instances(): readonly Instance[] {
    return [...this.#wanted, ...this.#leaving];
  }

  /** Does not wait for new instances to become healthy or for superfluous instances to end. */
  scale(replicas: number): void {
    const before = this.#replicas;
    this.#replicas = replicas;
    if (before !== undefined && before !== replicas) this.#tellScaled(before, replicas);
    this.#set(replicas);
  }

  #tellScaled(from: number, to: number): void {
    const { spec } = this;
    this.#context.emit({
      ...revisionRef(spec),
      revisionId: spec.id,
      instance: spec.revision,
      at: new Date(),
      type: 'modified',
      ...instanceEvent('Scaled', { from, to }),
    });
  }

  #set(replicas: number): void {
    while (this.#wanted.length < replicas) this.#wanted.push(new Instance(this.spec, this.#context));
    // Removes unready instances first, then the youngest.
    const byUse = this.#wanted.toSorted((left, right) => Number(right.isReady) - Number(left.isReady));
    for (const instance of byUse.slice(replicas)) this.#dismiss(instance);
  }

  /** Resolves when all instances are gone. */
  async stop(): Promise<void> {
    this.#set(0);
    await mapLimited(this.#leaving, (instance) => instance.stop(), this.#leaving.size);
  }

  #dismiss(instance: Instance): void {
    this.#wanted.splice(this.#wanted.indexOf(instance), 1);
    this.#leaving.add(instance);
    void instance
      .stop()
      .catch((error: unknown) => this.#context.log.error({ err: error, instance: instance.id }, 'an instance could not be stopped'))
      .finally(() => this.#leaving.delete(instance));
  }
}
