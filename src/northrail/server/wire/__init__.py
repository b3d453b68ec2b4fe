"""What is sent: messages, and the boards and themes clients need."""
