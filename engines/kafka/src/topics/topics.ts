/**
 * The topics of an environment. A topic exists if its metadata file does. The file is replaced atomically, so a kill leaves the old state
 * or the new one. A deleted topic's directory is renamed first, and the next start removes what a kill leaves of it.
 */
import fs from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { LogTools } from '../log/partition-log.ts';
import type { TopicDirectory } from '../parts.ts';
import { parsed, syncDirectory, writeState } from '../state/state-file.ts';
import { newTopicId, Topic, TopicRow } from './topic.ts';
import { collisionKey } from './topic-name.ts';

const ROW = 'topic.json';
const DELETED = 'deleted-';

export class Topics implements TopicDirectory {
  readonly #directory: string;
  readonly #tools: LogTools;
  readonly #byName = new Map<string, Topic>();
  readonly #byId = new Map<string, Topic>();
  readonly #collisions = new Map<string, string>();
  readonly #listeners: ((topic: string) => void)[] = [];
  #changes: Promise<unknown> = Promise.resolve();
  partitions = 0;

  constructor(directory: string, tools: LogTools) {
    this.#directory = directory;
    this.#tools = tools;
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const name of fs.readdirSync(directory)) this.#load(path.join(directory, name));
  }

  #load(directory: string): void {
    const file = path.join(directory, ROW);
    if (path.basename(directory).startsWith(DELETED) || !fs.existsSync(file)) {
      // Left over from a deletion, or from a creation that was never acknowledged.
      fs.rmSync(directory, { recursive: true, force: true });
      return;
    }
    try {
      const row = parsed(file, () => TopicRow.parse(JSON.parse(fs.readFileSync(file, 'utf8'))));
      this.#add(new Topic(directory, row, this.#tools));
    } catch (error) {
      // Other topics still work. The messages stay on disk for whoever can restore the file.
      this.#tools.log('error', 'a topic is damaged and is left out', { directory, error: String(error) });
    }
  }
  #add(topic: Topic): void {
    const { id, name, partitions } = topic.row;
    this.#byName.set(name, topic);
    this.#byId.set(id, topic);
    this.#collisions.set(collisionKey(name), name);
    this.partitions += partitions;
  }

  get(name: string): Topic | undefined {
    return this.#byName.get(name);
  }
  byId(id: string): Topic | undefined {
    return this.#byId.get(id);
  }
  all(): Iterable<Topic> {
    return this.#byName.values();
  }
  /** Returns another topic whose name differs only in dots and underscores. */
  collidesWith(name: string): string | undefined {
    const other = this.#collisions.get(collisionKey(name));
    return other === name ? undefined : other;
  }

  names(): Iterable<string> {
    return this.#byName.keys();
  }
  partitionCount(topic: string): number | undefined {
    return this.#byName.get(topic)?.row.partitions;
  }
  topicId(topic: string): string | undefined {
    return this.#byName.get(topic)?.row.id;
  }
  topicName(topicId: string): string | undefined {
    return this.#byId.get(topicId)?.row.name;
  }
  onDeleted(listener: (topic: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Serializes changes, so that each sees the result of the previous one. */
  inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const result = this.#changes.then(change);
    this.#changes = result.catch(() => undefined);
    return result;
  }

  /** Must run in inTurn(). The caller has checked name and configs. */
  async create(row: Omit<TopicRow, 'id'>): Promise<Topic> {
    const id = newTopicId();
    const directory = path.join(this.#directory, id);
    await mkdir(directory, { mode: 0o700 });
    const topic = new Topic(directory, { ...row, id }, this.#tools);
    try {
      await writeState(path.join(directory, ROW), topic.row);
      await syncDirectory(this.#directory);
    } catch (error) {
      // A creation that was reported as failed must not appear after the next start.
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
    this.#add(topic);
    return topic;
  }

  /** Must run in inTurn(). */
  async change(topic: Topic, change: Partial<Pick<TopicRow, 'partitions' | 'configs'>>): Promise<void> {
    const row = { ...topic.row, ...change };
    await writeState(path.join(topic.directory, ROW), row);
    this.partitions += row.partitions - topic.row.partitions;
    topic.change(row);
  }

  /** Must run in inTurn(). The topic is gone once its directory is renamed. Its files are removed after the answer. */
  async delete(topic: Topic): Promise<void> {
    const { id, name, partitions } = topic.row;
    const removed = path.join(this.#directory, `${DELETED}${id}`);
    topic.end();
    this.#byName.delete(name);
    this.#byId.delete(id);
    this.#collisions.delete(collisionKey(name));
    this.partitions -= partitions;
    try {
      await rename(topic.directory, removed);
    } catch (error) {
      // The topic still exists, as it will after the next start.
      this.#add(new Topic(topic.directory, topic.row, this.#tools));
      throw error;
    }
    await syncDirectory(this.#directory);
    for (const listener of this.#listeners) listener(name);
    rm(removed, { recursive: true, force: true }).catch((error: unknown) =>
      this.#tools.log('warn', 'a deleted topic is still on the disk', { id, error: String(error) }),
    );
  }

  close(): void {
    for (const topic of this.#byName.values()) topic.close();
  }
}
