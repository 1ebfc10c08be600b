import 'reflect-metadata';
import { type CommandMessage, NoReply, patternOf } from '@florin/event-sourcing';
import { type BusHandlers, commandBusContract } from '@florin/event-sourcing/testing';
import { serviceActor } from '@florin/kernel';
import { Controller, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { InProcessCommandBus } from './in-process-command-bus.adapter';

/** A Nest application with one controller that runs the given handlers. */
function moduleOf(handlers: BusHandlers): Type {
  @Controller()
  class TestController {
    @MessagePattern(Object.keys(handlers).map((type) => patternOf('test', type)))
    handle(@Payload() message: CommandMessage): Promise<unknown> {
      return handlers[message.command.type]!(message);
    }
  }

  @Module({ controllers: [TestController] })
  class TestModule {}
  return TestModule;
}

async function open(handlers: BusHandlers, replyTimeoutMs = 5_000) {
  const failed: unknown[] = [];
  const bus = new InProcessCommandBus({ replyTimeoutMs, onFailedSend: (error) => failed.push(error) });
  const app = await NestFactory.createMicroservice(moduleOf(handlers), { strategy: bus.transport, logger: false });
  await app.listen();
  return { bus, failed, close: () => app.close() };
}

const message = (type: string): CommandMessage => {
  return {
    context: 'test',
    key: 'k',
    id: 'm',
    command: { type, data: {} },
    headers: { correlationId: 'c', causationId: 'r', actor: serviceActor('test') },
  };
};

commandBusContract('InProcessCommandBus', open);

describe('InProcessCommandBus', () => {
  it('times out when a handler never replies', async () => {
    let answer = (): void => undefined;
    const { bus, close } = await open({ Hang: () => new Promise<void>((resolve) => (answer = resolve)) }, 20);
    await expect(bus.request(message('Hang'))).rejects.toThrow(/no reply within 20 ms/);
    answer();
    await close();
  });

  it('reports a sent command that failed', async () => {
    const { bus, failed, close } = await open({ Fail: async () => Promise.reject(new Error('no')) });
    await bus.send(message('Fail'));
    await close();
    expect(failed).toEqual([expect.any(NoReply)]);
  });

  it('rejects new commands after it is closed', async () => {
    const { bus, close } = await open({ Ping: async () => 1 });
    await close();
    await expect(bus.request(message('Ping'))).rejects.toBeInstanceOf(NoReply);
  });
});
