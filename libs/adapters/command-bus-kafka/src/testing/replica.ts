import 'reflect-metadata';
import { createSecretKey } from 'node:crypto';
import { type CommandMessage, patternOf } from '@florin/event-sourcing';
import { type BusHandlers, silentLog } from '@florin/event-sourcing/testing';
import { serviceActor } from '@florin/kernel';
import { type ArgumentsHost, Catch, Controller, type ExceptionFilter, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';
import { KafkaCommandBus } from '../kafka-command-bus.adapter';
import type { BusTrust } from '../bus-trust.port';
import type { KafkaCommandBusOptions } from '../kafka-command-bus-options';

/** A transient failure, such as a database restart. */
export class TransientFailure extends Error {}

export interface Replica {
  readonly bus: KafkaCommandBus;
  readonly lost: readonly Error[];
  close(): Promise<void>;
}

export type ReplicaOptions = Partial<KafkaCommandBusOptions> & Pick<KafkaCommandBusOptions, 'brokers' | 'topicPrefix'>;

const key = createSecretKey(Buffer.alloc(32, 1));

/** Every service has the same key and may send everything. */
export const trustEverybody: BusTrust = { keysOf: () => [key], isPermitted: () => true };

/** A process that sends requests and handles the given commands of the context `test`. */
export async function openReplica(handlers: BusHandlers, options: ReplicaOptions): Promise<Replica> {
  const lost: Error[] = [];
  const bus = new KafkaCommandBus({
    service: 'spec',
    trust: trustEverybody,
    partitions: 3,
    log: silentLog,
    isTransient: (error) => error instanceof TransientFailure,
    onLost: (error) => lost.push(error),
    ...options,
  });
  await bus.start();
  const app = await NestFactory.createMicroservice(moduleOf(handlers), { strategy: bus.transport, logger: false });
  app.useGlobalFilters(new FailureAsItIs());
  await app.listen();
  const close = async (): Promise<void> => {
    await app.close();
    await bus.close();
  };
  return { bus, lost, close };
}

/** Without it, Nest would replace the handler's error by its own. */
@Catch()
class FailureAsItIs implements ExceptionFilter {
  catch(error: unknown, _host: ArgumentsHost): Observable<never> {
    return throwError(() => error);
  }
}

/** A Nest application with one controller that runs the given handlers. */
function moduleOf(handlers: BusHandlers): Type {
  @Controller()
  class TestController {
    @MessagePattern(Object.keys(handlers).map((type) => patternOf('test', type)))
    handle(@Payload() message: CommandMessage): Promise<unknown> {
      return handlers[message.command.type]!(message);
    }
  }

  @Module({ controllers: Object.keys(handlers).length === 0 ? [] : [TestController] })
  class TestModule {}
  return TestModule;
}

let sent = 0;

export function commandOf(type: string, data: unknown = null, key = 'k'): CommandMessage {
  const id = `m${++sent}`;
  return {
    context: 'test',
    key,
    id,
    command: { type, data },
    headers: { correlationId: 'c', causationId: 'r', actor: serviceActor('test') },
  };
}
